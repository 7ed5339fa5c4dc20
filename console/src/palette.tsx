import { useEffect, useId, useState } from "preact/hooks";
import { MAX_SEARCH_LENGTH } from "../../src/domain/keys/key.ts";
import { call, withQuery } from "./api/call.ts";
import type { Keys, Orders, Pets, RequestList } from "./api/responses.ts";
import { IconButton } from "./components/button.tsx";
import { Dialog } from "./components/dialog.tsx";
import { ErrorMessage } from "./components/page.tsx";
import { isDialogOpen } from "./focus.ts";
import { pluralize } from "./format.ts";
import { keyHref, orderHref, petHref, requestHref } from "./route.ts";

/** What the command palette leads to: its address, its name, and what it is. */
export type Destination = { href: string; title: string; kind: string };

const MOST_KEYS = 8;
/** After so long without a key press, in ms, the service is asked. */
const PAUSE_MS = 150;

/** The keys that contain a text, the pet and the order with this id, and the request with this id. */
async function find(text: string): Promise<Destination[]> {
  const [id, requestId] = [/^\d{1,16}$/.test(text), /^[\w.-]{8,128}$/.test(text)];
  const found = await Promise.all([
    text.length <= MAX_SEARCH_LENGTH
      ? call<Keys>("GET", withQuery("/keys", { search: text, limit: MOST_KEYS })).then(({ keys }) =>
          keys.map(({ id, name, state }) => ({ href: keyHref(id), title: name, kind: `${state} key, ${id}` })),
        )
      : [],
    id
      ? call<Pets>("GET", withQuery("/pets", { ids: text })).then(({ pets }) =>
          pets.map(({ id, name, status }) => ({ href: petHref(id), title: `Pet ${id}`, kind: `${name}, ${status}` })),
        )
      : [],
    id
      ? call<Orders>("GET", withQuery("/orders", { ids: text })).then(({ orders }) =>
          orders.map(({ id, status }) => ({ href: orderHref(id), title: `Order ${id}`, kind: status })),
        )
      : [],
    requestId
      ? call<RequestList>("GET", withQuery("/requests", { requestId: text, limit: 1 })).then(({ requests }) =>
          requests.map(({ method, path, status }) => ({
            ...{ href: requestHref(text), title: `Request ${text}`, kind: `${method} ${path}, ${status}` },
          })),
        )
      : [],
  ]);
  return found.flat();
}

/** What was found for a text. */
type Found = { text: string; destinations: Destination[]; error?: Error };

/** A field that finds pages, keys, pets, orders and requests, with the results below it (WAI-ARIA, combobox with a listbox). */
function Palette({ pages, onClose }: { pages: readonly Destination[]; onClose: () => void }) {
  const [typed, setTyped] = useState("");
  const [found, setFound] = useState<Found>({ text: "", destinations: [] });
  const [active, setActive] = useState(0);
  const [list, option] = [useId(), useId()];
  const text = typed.replace(/^\s*x-request-id:/i, "").trim();
  useEffect(() => {
    if (text === "") return;
    let isCurrent = true;
    const timer = setTimeout(() => {
      find(text).then(
        (destinations) => isCurrent && setFound({ text, destinations }),
        (error: Error) => isCurrent && setFound({ text, destinations: [], error }),
      );
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [text]);
  useEffect(() => document.getElementById(`${option}-${active}`)?.scrollIntoView({ block: "nearest" }), [active]);
  const named = pages.filter(({ title }) => title.toLowerCase().includes(text.toLowerCase()));
  const isFound = found.text === text;
  const shown = [...named, ...(isFound ? found.destinations : [])];
  const go = (destination: Destination | undefined) => {
    if (destination === undefined) return;
    onClose();
    location.assign(destination.href);
  };
  const move = (by: number) => setActive((active + by + shown.length) % Math.max(1, shown.length));
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "ArrowDown") move(1);
    else if (event.key === "ArrowUp") move(-1);
    else if (event.key === "Enter") go(shown[active]);
    else return;
    event.preventDefault();
  };
  return (
    <Dialog title="Go to" onClose={onClose}>
      <div class="fields palette">
        <input
          type="text"
          role="combobox"
          aria-label="A page, a key, or the id of a pet, an order or a request"
          aria-expanded={shown.length > 0}
          aria-controls={list}
          aria-autocomplete="list"
          aria-activedescendant={shown.length > 0 ? `${option}-${active}` : undefined}
          autocomplete="off"
          spellcheck={false}
          placeholder="Page, key, or id of a pet, order or request"
          value={typed}
          onInput={({ currentTarget }) => {
            setTyped(currentTarget.value);
            setActive(0);
          }}
          onKeyDown={onKeyDown}
        />
        {/* The keyboard stays in the field: it moves through the results by aria-activedescendant. */}
        <div id={list} role="listbox" aria-label="Results">
          {shown.map((destination, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the field has the keys
            <div
              key={destination.href}
              id={`${option}-${i}`}
              role="option"
              tabIndex={-1}
              aria-selected={i === active}
              onClick={() => go(destination)}
            >
              <strong>{destination.title}</strong> <span class="faint">{destination.kind}</span>
            </div>
          ))}
        </div>
        {isFound && found.error !== undefined && text !== "" && <ErrorMessage error={found.error} />}
        <p class={shown.length === 0 && isFound ? "quiet" : "visually-hidden"} role="status">
          {isFound || text === "" ? (shown.length === 0 ? "Nothing found." : pluralize(shown.length, "result")) : ""}
        </p>
      </div>
    </Dialog>
  );
}

/** Opens the command palette, also with Ctrl+K or ⌘K, unless another dialog is open. */
export function PaletteButton({ pages }: { pages: readonly Destination[] }) {
  const [isOpen, setOpen] = useState(false);
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      if (!(event.ctrlKey || event.metaKey) || event.key.toLowerCase() !== "k") return;
      event.preventDefault();
      if (!isDialogOpen()) setOpen(true);
    };
    addEventListener("keydown", open);
    return () => removeEventListener("keydown", open);
  }, []);
  return (
    <>
      <IconButton icon="search" label="Go to… (Ctrl+K)" onClick={() => setOpen(true)} />
      {isOpen && <Palette pages={pages} onClose={() => setOpen(false)} />}
    </>
  );
}

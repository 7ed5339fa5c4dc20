import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button, type ButtonProps, Icon } from "./button.tsx";

export type PageAction = { label: string; onSelect: () => void } & Pick<ButtonProps, "icon" | "kind" | "isPending">;

/** So many buttons stand beside each other. Of more, the first two do, above a menu with the others. */
const MOST = 3;

/** What can be done on a page, the most used first: buttons, or two of them and a menu in which destructive actions are last. */
export function Actions({ of: actions }: { of: readonly PageAction[] }) {
  const visible = actions.length > MOST ? 2 : MOST;
  return (
    <>
      {actions.slice(0, visible).map(({ label, onSelect, ...button }) => (
        <Button key={label} {...button} onClick={onSelect}>
          {label}
        </Button>
      ))}
      {actions.length > visible && <MenuButton key="menu" label="More" of={actions.slice(visible)} />}
    </>
  );
}

/** Which item gets the focus from the item at `index`, by the keys of a menu (WAI-ARIA, menu button). */
function destination(key: string, index: number, labels: readonly string[]): number | undefined {
  const count = labels.length;
  if (key === "ArrowDown") return (index + 1) % count;
  if (key === "ArrowUp") return (index - 1 + count) % count;
  if (key === "Home") return 0;
  if (key === "End") return count - 1;
  if (key.length !== 1 || key === " ") return;
  const after = labels.map((_, i) => (index + 1 + i) % count);
  return after.find((i) => labels[i]?.toLowerCase().startsWith(key.toLowerCase()));
}

const groupOf = ({ kind }: PageAction) => (kind === "danger" ? "destructive" : "other");

/** A button that opens a menu. Destructive actions come last, below a line. */
function MenuButton({ label, of: actions }: { label: string; of: readonly PageAction[] }) {
  /** The menu stays as it was when it opened, also when the page is refreshed; `at` is the item that got the focus. */
  const [opened, setOpened] = useState<{ at: 0 | -1; actions: readonly PageAction[] }>();
  const [button, menu] = [useRef<HTMLButtonElement>(null), useRef<HTMLDivElement>(null)];
  const [buttonId, menuId] = [useId(), useId()];
  const items = () => [...(menu.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
  useLayoutEffect(() => {
    if (opened !== undefined) items().at(opened.at)?.focus();
  }, [opened]);
  const close = () => {
    button.current?.focus();
    setOpened(undefined);
  };
  const onMenuKey = (event: KeyboardEvent) => {
    // The Tab key goes on from the menu, which closes as it loses the focus.
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    const all = items();
    const index = all.findIndex((item) => item.matches(":focus"));
    const wanted = destination(
      event.key,
      index,
      all.map((item) => item.textContent ?? ""),
    );
    if (event.key === "Escape") close();
    else if (wanted !== undefined) all[wanted]?.focus();
    else return;
    event.preventDefault();
  };
  return (
    <div
      class="menu-button"
      onFocusOut={({ currentTarget, relatedTarget }) => {
        if (!(relatedTarget instanceof Node && currentTarget.contains(relatedTarget))) setOpened(undefined);
      }}
    >
      <button
        ref={button}
        id={buttonId}
        class="button plain"
        type="button"
        aria-haspopup="menu"
        aria-expanded={opened !== undefined}
        aria-controls={opened && menuId}
        onClick={() => setOpened(opened === undefined ? { at: 0, actions } : undefined)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setOpened({ at: event.key === "ArrowDown" ? 0 : -1, actions });
        }}
      >
        {label}
        <Icon name="down" />
      </button>
      {opened !== undefined && (
        <div ref={menu} id={menuId} role="menu" tabIndex={-1} aria-labelledby={buttonId} onKeyDown={onMenuKey}>
          {["other", "destructive"].map((group) => (
            <div key={group} role="none">
              {opened.actions
                .filter((action) => groupOf(action) === group)
                .map(({ label: item, kind = "plain", onSelect }) => (
                  <button
                    key={item}
                    class={kind}
                    type="button"
                    role="menuitem"
                    tabIndex={-1}
                    onClick={() => {
                      // A dialog gives the focus back to the button when it closes.
                      close();
                      onSelect();
                    }}
                  >
                    {item}
                  </button>
                ))}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

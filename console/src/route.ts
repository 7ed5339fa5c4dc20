import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

/**
 * The path after the # of the address, by segments, and its query; and what the page before has to say, if it has led here.
 */
type Route = { segments: string[]; parameters: URLSearchParams; notice: string | undefined };

function currentRoute(): Route {
  const state: { notice?: string } | null = history.state;
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return {
    segments: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decode),
    parameters: new URLSearchParams(query),
    notice: state?.notice,
  };
}

/** Decodes a segment; returns it unchanged when its percent-encoding is invalid. */
function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Each returns whether the page stays although the address has changed. */
const guards = new Set<() => boolean>();

// Layout effects, here and below: others begin and end only after the browser has painted, and the address may have changed by then.
export function useNavigationGuard(guard: () => boolean): void {
  useLayoutEffect(() => {
    guards.add(guard);
    return () => {
      guards.delete(guard);
    };
  });
}

/** Calls what was given first whenever the address changes. */
export function useAddressChanges(update: (event: HashChangeEvent) => void): void {
  const listener = useRef(update).current;
  useLayoutEffect(() => {
    addEventListener("hashchange", listener);
    return () => removeEventListener("hashchange", listener);
  }, [listener]);
}

/** The route that the address has. It follows the address unless a guard keeps the page: then the address is set back. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useAddressChanges(({ oldURL }) => {
    if ([...guards].some((isKept) => isKept())) history.pushState(null, "", oldURL);
    else setRoute(currentRoute());
  });
  return route;
}

export const keyHref = (id: string): string => `#/keys/${encodeURIComponent(id)}`;

export const requestHref = (requestId: string): string => `#/requests/${encodeURIComponent(requestId)}`;

export const petHref = (id: number | string): string => `#/pets/${id}`;

export const categoryHref = (id: number | string): string => `#/categories/${id}`;

export const orderHref = (id: number | string): string => `#/orders/${id}`;

export const webhookHref = (id: string): string => `#/webhooks/${encodeURIComponent(id)}`;

/** The address of a list with filters. */
export function listHref(page: string, parameters: Record<string, string> | string[][]): string {
  const query = String(new URLSearchParams(parameters));
  return query === "" ? `#/${page}` : `#/${page}?${query}`;
}

/**
 * Writes the filters of a list to the address, which the page follows, without an entry in the browser's history. Does
 * nothing when the operator has left the list meanwhile: a search is applied a moment after it was typed.
 */
export function replaceQuery(page: string, filters: Record<string, string>): void {
  if (currentRoute().segments.join("/") !== page) return;
  const given = Object.entries(filters).filter(([, value]) => value !== "");
  location.replace(listHref(page, given));
}

/**
 * Changes some filters of a list in the address and begins at the first page; "" removes one. The others are those that the
 * address has now: what is shown may be older.
 */
export function changeQuery(page: string, changed: Record<string, string>): void {
  const { after: _, ...given } = Object.fromEntries(currentRoute().parameters);
  replaceQuery(page, { ...given, ...changed });
}

/** Goes to a list, which shows the notice, in place of the page of something that no longer exists. */
export function leaveFor(page: string, notice: string): void {
  location.replace(`#/${page}`);
  history.replaceState({ notice }, "");
}

/** The browser asks before it reloads, closes or leaves the page if something `isUnsaved` then. */
export function useUnloadWarning(isUnsaved: () => boolean): void {
  const newest = useRef(isUnsaved);
  newest.current = isUnsaved;
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => {
      if (newest.current()) event.preventDefault();
    };
    addEventListener("beforeunload", ask);
    return () => removeEventListener("beforeunload", ask);
  }, []);
}

import { useEffect, useState } from "preact/hooks";

/** The path after the # of the address, by segments, and its query. */
type Route = { segments: string[]; parameters: URLSearchParams };

function currentRoute(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return {
    segments: path
      .split("/")
      .filter((segment) => segment !== "")
      .map(decode),
    parameters: new URLSearchParams(query),
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

export function useNavigationGuard(guard: () => boolean): void {
  useEffect(() => {
    guards.add(guard);
    return () => {
      guards.delete(guard);
    };
  });
}

/** The route that the address has. It follows the address unless a guard keeps the page: then the address is set back. */
export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = ({ oldURL }: HashChangeEvent) => {
      if ([...guards].some((isKept) => isKept())) history.pushState(null, "", oldURL);
      else setRoute(currentRoute());
    };
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

export const keyHref = (id: string): string => `#/keys/${encodeURIComponent(id)}`;

export const petHref = (id: number | string): string => `#/pets/${id}`;

export const categoryHref = (id: number | string): string => `#/categories/${id}`;

export const orderHref = (id: number | string): string => `#/orders/${id}`;

/** The address of a list with filters. */
export const listHref = (page: string, filters: Record<string, string>): string =>
  `#/${page}?${new URLSearchParams(filters)}`;

/** Writes the filters of a list to the address, which the page follows, without an entry in the browser's history. */
export function replaceQuery(page: string, parameters: Record<string, string>): void {
  const given = Object.entries(parameters).filter(([, value]) => value !== "");
  location.replace(given.length === 0 ? `#/${page}` : listHref(page, Object.fromEntries(given)));
}

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

export function useRoute(): Route {
  const [route, setRoute] = useState(currentRoute);
  useEffect(() => {
    const update = () => setRoute(currentRoute());
    addEventListener("hashchange", update);
    return () => removeEventListener("hashchange", update);
  }, []);
  return route;
}

export const keyHref = (id: string): string => `#/keys/${encodeURIComponent(id)}`;

export const auditHref = (filters: Record<string, string>): string => `#/audit?${new URLSearchParams(filters)}`;

/** Writes the filters of a list to the address, without an entry in the browser's history for each typed letter. */
export function replaceQuery(page: string, parameters: Record<string, string>): void {
  const given = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
  const query = given.size === 0 ? "" : `?${given}`;
  history.replaceState(null, "", `#/${page}${query}`);
}

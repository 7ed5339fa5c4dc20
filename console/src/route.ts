import { useEffect, useState } from "preact/hooks";

/** Where the reader is: the path after the # in parts, and its parameters. The address keeps the place over a reload. */
export type Route = { parts: string[]; parameters: URLSearchParams };

function current(): Route {
  const [path = "", query = ""] = location.hash.replace(/^#\/?/, "").split("?", 2);
  return {
    parts: path
      .split("/")
      .filter((part) => part !== "")
      .map(decode),
    parameters: new URLSearchParams(query),
  };
}

/** A part of the address as it was meant; as it stands where somebody typed a broken one. */
function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    const follow = () => setRoute(current());
    addEventListener("hashchange", follow);
    return () => removeEventListener("hashchange", follow);
  }, []);
  return route;
}

export const toKey = (id: string): string => `#/keys/${encodeURIComponent(id)}`;

/** Takes over a list's filters into the address, without a step in the browser's history for every letter typed. */
export function keepInAddress(page: string, parameters: Record<string, string>): void {
  const given = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
  const query = given.size === 0 ? "" : `?${given}`;
  history.replaceState(null, "", `#/${page}${query}`);
}

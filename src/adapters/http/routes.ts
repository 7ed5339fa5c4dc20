import type { Description, Method } from "./description.ts";

/** What a method and a path lead to: perhaps an operation, with the parameters of its path. */
export type Route<O> = {
  operation: O | undefined;
  /** The whole path of the operation, with its parameters in braces. */
  pattern: string | undefined;
  params: Record<string, string>;
  /** The methods that the path allows, as the header Allow names them. */
  allowed: readonly string[];
  /** Where the path only has a slash too many at its end: the path that there is, with its parameters in braces. */
  meant?: string | undefined;
};

export type Router<O> = (method: string, path: string) => Route<O>;

/** A path of operations, by its segments. */
type Place<O> = { path: string; segments: string[]; operations: Map<string, O>; allowed: string[] };

type Found<O> = { place: Place<O>; params: Record<string, string> };

const ORDER: Method[] = ["get", "post", "put", "patch", "delete"];

/** Where there is no operation. */
export const nowhere: Router<never> = () => ({ operation: undefined, pattern: undefined, params: {}, allowed: [] });

/** Finds the operations below `prefix`. HEAD leads where GET does; a path without parameters comes before one with them. */
export function routerOf<O extends Description>(prefix: string, operations: readonly O[]): Router<O> {
  const places = placesOf(prefix, operations);
  const patterns = [...places.values()].filter(({ segments }) => segments.some(isParameter));
  const find = (path: string): Found<O> | undefined => {
    const place = places.get(path);
    if (place !== undefined) return { place, params: {} };
    const segments = path.split("/");
    for (const pattern of patterns) {
      const params = paramsOf(pattern.segments, segments);
      if (params !== undefined) return { place: pattern, params };
    }
    return undefined;
  };
  return (method, path) => {
    const found = find(path);
    if (found !== undefined) return routeTo(found, method);
    const meant = path.endsWith("/") ? find(path.slice(0, -1))?.place.path : undefined;
    return { ...nowhere(method, path), meant };
  };
}

function placesOf<O extends Description>(prefix: string, operations: readonly O[]): Map<string, Place<O>> {
  const places = new Map<string, Place<O>>();
  for (const operation of operations.toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))) {
    const path = prefix + operation.path;
    const place: Place<O> = places.get(path) ?? { path, segments: path.split("/"), operations: new Map(), allowed: [] };
    const methods = operation.method === "get" ? ["GET", "HEAD"] : [operation.method.toUpperCase()];
    for (const method of methods) place.operations.set(method, operation);
    place.allowed.push(...methods);
    places.set(path, place);
  }
  return places;
}

function routeTo<O>({ place: { path, operations, allowed }, params }: Found<O>, method: string): Route<O> {
  const operation = operations.get(method);
  return { operation, pattern: operation && path, params, allowed };
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

/** The parameters of a path that has the form of a pattern. None of them is empty. */
function paramsOf(pattern: string[], segments: string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const params: Record<string, string> = {};
  for (let i = 0; i < pattern.length; i++) {
    const expected = pattern[i] ?? "";
    const segment = segments[i] ?? "";
    if (isParameter(expected) && segment !== "") params[expected.slice(1, -1)] = segment;
    else if (segment !== expected) return undefined;
  }
  return params;
}

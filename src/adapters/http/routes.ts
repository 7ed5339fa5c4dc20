import type { Description, Method } from "./description.ts";

/** What a method and a path lead to: perhaps an operation, with the parameters of its path. */
export type Route<O> = {
  operation: O | undefined;
  /** The whole path of the operation, with its parameters in braces. */
  pattern: string | undefined;
  params: Record<string, string>;
  /** The methods that the path allows, as the header Allow names them. */
  allowed: readonly string[];
};

export type Router<O> = (method: string, path: string) => Route<O>;

/** A path of operations; `form` matches the paths that it stands for, with their parameters as groups. */
type Place<O> = { path: string; form: RegExp; operations: Map<string, O>; allowed: string[] };

const PARAMETER = /\{\w+\}/;
const PARAMETERS = /\{(\w+)\}/g;

const ORDER: Method[] = ["get", "post", "put", "patch", "delete"];

/** Where there is no operation. */
export const nowhere: Router<never> = () => ({ operation: undefined, pattern: undefined, params: {}, allowed: [] });

/** Finds the operations below `prefix`. HEAD leads where GET does; a path without parameters comes before one with them. */
export function routerOf<O extends Description>(prefix: string, operations: readonly O[]): Router<O> {
  const places = placesOf(prefix, operations);
  const patterns = [...places.values()].filter(({ path }) => PARAMETER.test(path));
  return (method, path) => {
    const place = places.get(path);
    if (place !== undefined) return routeTo(place, method, {});
    for (const pattern of patterns) {
      const match = pattern.form.exec(path);
      if (match !== null) return routeTo(pattern, method, match.groups ?? {});
    }
    return nowhere(method, path);
  };
}

function placesOf<O extends Description>(prefix: string, operations: readonly O[]): Map<string, Place<O>> {
  const places = new Map<string, Place<O>>();
  for (const operation of operations.toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))) {
    const path = prefix + operation.path;
    const place: Place<O> = places.get(path) ?? { path, form: formOf(path), operations: new Map(), allowed: [] };
    const methods = operation.method === "get" ? ["GET", "HEAD"] : [operation.method.toUpperCase()];
    for (const method of methods) place.operations.set(method, operation);
    place.allowed.push(...methods);
    places.set(path, place);
  }
  return places;
}

function routeTo<O>({ path, operations, allowed }: Place<O>, method: string, params: Record<string, string>): Route<O> {
  const operation = operations.get(method);
  return { operation, pattern: operation && path, params, allowed };
}

/** Matches a path whose parameters are single segments, none of them empty. */
function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(PARAMETERS, "(?<$1>[^/]+)")}$`);
}

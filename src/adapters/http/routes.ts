import type { Description, Method } from "./description.ts";

/** The result of matching a method and a path: the operation, if there is one, and its path parameters. */
export type Route<O> = {
  operation: O | undefined;
  /** The full path of the operation, with its parameters in braces. */
  pattern: string | undefined;
  params: Record<string, string>;
  /** The methods of the path, in the order of the header Allow. */
  allowed: readonly string[];
  /** Where the path only has a slash too many at its end: the path that there is, with its parameters in braces. */
  meant?: string | undefined;
};

export type Router<O> = (method: string, path: string) => Route<O>;

/** The operations of one path, by method; `form` matches the request paths, with their parameters as groups. */
type PathItem<O> = { path: string; form: RegExp; operations: Map<string, O>; allowed: string[] };

const PARAMETER = /\{\w+\}/;
const PARAMETERS = /\{(\w+)\}/g;

type Found<O> = { item: PathItem<O>; params: Record<string, string> };

const ORDER: Method[] = ["get", "post", "put", "patch", "delete"];

/** A router without operations. */
export const noRoutes: Router<never> = () => ({ operation: undefined, pattern: undefined, params: {}, allowed: [] });

/** Matches the operations below `prefix`. HEAD matches as GET does; a path without parameters takes precedence. */
export function routerOf<O extends Description>(prefix: string, operations: readonly O[]): Router<O> {
  const items = pathItemsOf(prefix, operations);
  const patterns = [...items.values()].filter(({ path }) => PARAMETER.test(path));
  const find = (path: string): Found<O> | undefined => {
    const item = items.get(path);
    if (item !== undefined && !patterns.includes(item)) return { item, params: {} };
    for (const pattern of patterns) {
      const match = pattern.form.exec(path);
      if (match !== null) return { item: pattern, params: match.groups ?? {} };
    }
    return undefined;
  };
  return (method, path) => {
    const found = find(path);
    if (found !== undefined) return routeTo(found, method);
    const meant = path.endsWith("/") ? find(path.slice(0, -1))?.item.path : undefined;
    return { ...noRoutes(method, path), meant };
  };
}

function pathItemsOf<O extends Description>(prefix: string, operations: readonly O[]): Map<string, PathItem<O>> {
  const items = new Map<string, PathItem<O>>();
  for (const operation of operations.toSorted((a, b) => ORDER.indexOf(a.method) - ORDER.indexOf(b.method))) {
    const path = prefix + operation.path;
    const item: PathItem<O> = items.get(path) ?? { path, form: formOf(path), operations: new Map(), allowed: [] };
    const methods = operation.method === "get" ? ["GET", "HEAD"] : [operation.method.toUpperCase()];
    for (const method of methods) item.operations.set(method, operation);
    item.allowed.push(...methods);
    items.set(path, item);
  }
  return items;
}

function routeTo<O>({ item: { path, operations, allowed }, params }: Found<O>, method: string): Route<O> {
  const operation = operations.get(method);
  return { operation, pattern: operation && path, params, allowed };
}

/** Matches a path whose parameters are single segments, none of them empty. */
function formOf(path: string): RegExp {
  return new RegExp(`^${path.replaceAll(PARAMETERS, "(?<$1>[^/]+)")}$`);
}

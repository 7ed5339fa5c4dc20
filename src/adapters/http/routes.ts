import type { z } from "zod";
import type { ErrorCode } from "../../domain/errors.ts";

/** What the paths of the public interface begin with. */
export const PREFIX = "/v1";

type Method = "get" | "post" | "put" | "patch" | "delete";

/** The part of an operation from which routes, the document, usage, metrics and traces derive. */
export type Description = {
  /** The name in the document, usage, metrics and traces. */
  id: string;
  method: Method;
  /** Below the prefix of its interface, with parameters in braces: `/pets/{petId}`. */
  path: string;
  /** The resource under which the document has it: the first word of its path, unless its definition names another. */
  tag: string;
  summary: string;
  description?: string;
  deprecated?: Deprecation;
  request?: RequestSchemas;
  answers: Readonly<Record<number, string | Answer>>;
  /** The error codes of this operation, without those that its interface or its request schemas imply. */
  refusals?: readonly ErrorCode[];
};

export type RequestSchemas<
  P extends z.ZodObject = z.ZodObject,
  Q extends z.ZodObject = z.ZodObject,
  H extends z.ZodObject = z.ZodObject,
  B extends z.ZodType = z.ZodType,
> = {
  /** The schema of a path parameter raises the error for a text that is no valid id. */
  params?: P;
  query?: Q;
  headers?: H;
  /** A JSON body. It is optional if the schema accepts undefined. */
  body?: B;
  /** The largest body, in bytes, if not MAX_BODY_BYTES. */
  maxBytes?: number;
  /** The media types of the body, application/json by default. Without a schema the handler reads the body itself. */
  types?: readonly string[];
  /** Whether a body that the handler reads itself may be left out. */
  isBodyOptional?: boolean;
  /** An example of the body for each of `types`. The example of a JSON body belongs to its schema. */
  examples?: Readonly<Record<string, string>>;
};

/** Response headers by name, each a reference into the document's components. */
export type HeaderReferences = Record<string, { $ref: string }>;

/** A successful response. Without a schema it has no body, or a streamed one if it has media types. */
export type Answer = {
  description: string;
  schema?: z.ZodType;
  example?: unknown;
  /** Headers in addition to those of every response. */
  headers?: HeaderReferences;
  /** The media types of the body, application/json by default. */
  types?: readonly string[];
  /** An example of the body for each of `types`. */
  examples?: Readonly<Record<string, string>>;
  /** Other forms of the body, by media type, for clients that prefer one. */
  otherForms?: Readonly<Record<string, { schema: z.ZodType; example: unknown }>>;
};

/** When an operation was deprecated and will be removed (Unix ms), and what to use instead. */
type Deprecation = {
  deprecatedAt: number;
  removedAt: number;
  replacement: string;
  /** The path and query below the base address to use instead, for a request with these path parameters. */
  successor: (params: Record<string, string>) => string;
  /** The headers of every response of the operation (RFC 9745, RFC 8594). */
  headers: { Deprecation: string; Sunset: string };
};

export function deprecation(its: Omit<Deprecation, "headers">): Deprecation {
  const { deprecatedAt, removedAt } = its;
  return {
    ...its,
    headers: { Deprecation: `@${deprecatedAt / 1000}`, Sunset: new Date(removedAt).toUTCString() },
  };
}

/** A method, and a path as `Description` has it: `GET /pets/{petId}`. */
export type RouteText = `${Uppercase<Method>} /${string}`;

export function partsOf(route: RouteText): Pick<Description, "method" | "path" | "tag"> {
  const [method, path] = route.split(" ") as [Uppercase<Method>, string];
  const [, tag = ""] = /^\/(?:store\/)?(\w+)/.exec(path) ?? [];
  return { method: method.toLowerCase() as Method, path, tag };
}

/** Whether the request needs a body: its schema does not accept undefined. */
export function isBodyRequired({ body, isBodyOptional = false }: RequestSchemas): boolean {
  if (isBodyOptional) return false;
  return body === undefined || !body.safeParse(undefined).success;
}

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

/** What the router knows of an operation. */
type Routable = Pick<Description, "method" | "path">;

/** The operations of one path, by method; `form` matches the request paths, with their parameters as groups. */
type PathItem<O> = { path: string; form: RegExp; operations: Map<string, O>; allowed: string[] };

const PARAMETER = /\{\w+\}|\*$/;
const PARAMETERS = /\{(\w+)\}/g;

type Found<O> = { item: PathItem<O>; params: Record<string, string> };

const ORDER: Method[] = ["get", "post", "put", "patch", "delete"];

export const noRoutes: Router<never> = () => ({ operation: undefined, pattern: undefined, params: {}, allowed: [] });

/**
 * Matches the operations below `prefix`. HEAD matches as GET does; a path without parameters takes precedence. `*` at the end of
 * a path stands for any rest.
 */
export function routerOf<O extends Routable>(prefix: string, operations: readonly O[]): Router<O> {
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

function pathItemsOf<O extends Routable>(prefix: string, operations: readonly O[]): Map<string, PathItem<O>> {
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
  return new RegExp(`^${path.replaceAll(PARAMETERS, "(?<$1>[^/]+)").replace(/\*$/, "[^]*")}$`);
}

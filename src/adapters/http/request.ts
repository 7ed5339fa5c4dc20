import type { z } from "zod";
import { type Detail, type ErrorCode, PetstoreError, type PublicErrorCode } from "../../domain/errors.ts";
import { type OnUnknown, parseJson, shapeOf, toJson } from "../../domain/json.ts";
import { SECRET_LIKE } from "../../domain/keys/secret.ts";
import { closestTo } from "../../domain/text.ts";
import { type Description, noRoutes, type Route, type Router } from "./routes.ts";

/** The largest request body of an operation that names no other, in bytes. */
export const MAX_BODY_BYTES = 64 * 1024;

/** Why the body of a request did not come whole. Nothing may be done for such a request. */
type BodyProblem = "too large" | "late" | "incomplete" | "malformed";

/** The headers of a request. Names are case-insensitive; the values of several headers with one name are joined with `, `. */
export type RequestHeaders = Iterable<[name: string, value: string]> & {
  get(name: string): string | null;
  has(name: string): boolean;
};

/** A request, in plain values. */
export type HttpRequest = {
  /** Any token: methods are case-sensitive, and unknown ones arrive too. */
  readonly method: string;
  /** The path and query, with neither dot segments nor a fragment: see `urlOf`. */
  readonly url: string;
  readonly headers: RequestHeaders;
  /** Whole; or as it arrives, for an operation that reads it itself; or why it did not come. */
  readonly body: Uint8Array | AsyncIterable<Uint8Array> | BodyProblem;
};

/** A response, in plain values. A stream is sent as it comes. */
export type HttpResponse = {
  status: number;
  headers: Record<string, string>;
  body: string | Uint8Array | ReadableStream<Uint8Array> | null;
};

/** A response of which the client gets no byte: its connection is cut instead. */
export const CUT: HttpResponse = { status: 0, headers: {}, body: null };

/** The connection on which a request arrived. */
export interface Connection {
  /** The address at its other end. */
  address(): string;
  /** Aborted when the client leaves, or ends its sending side: then nothing but the response is waited for. */
  readonly signal: AbortSignal;
}

/** The methods of HTTP that operations may have. deploy/haproxy.cfg refuses the others too. */
export const METHODS: readonly string[] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** A target whose URL is the target: without escapes, dot segments and a fragment. */
const PLAIN = /^\/[\w-]*(?:\/[\w-]+)*(?:\?[^#]*)?$/;
const ABSOLUTE = /^https?:\/\//i;

/**
 * The path and query of a request's target, as `URL` has them; undefined for one that is no target of this method (RFC 9112,
 * 3.2). Those of `OPTIONS *` and of CONNECT are theirs, and begin with no slash.
 */
export function urlOf(method: string, target: string): string | undefined {
  if (PLAIN.test(target)) return target;
  if (method === "CONNECT" || (method === "OPTIONS" && target === "*")) return target;
  const url = target.startsWith("/") ? `http://localhost${target}` : target;
  if (!ABSOLUTE.test(url) || !URL.canParse(url)) return undefined;
  const { pathname, search } = new URL(url);
  return pathname + search;
}

const ESCAPES = /(?:%[\da-f]{2})+/gi;

/** The path of a URL. Escapes are decoded, but those of reserved characters, of a percent sign, and of what is not UTF-8. */
export function pathOf(url: string): string {
  const query = url.indexOf("?");
  const path = query === -1 ? url : url.slice(0, query);
  return path.includes("%") ? path.replace(ESCAPES, decoded) : path;
}

function decoded(escapes: string): string {
  try {
    return decodeURI(escapes.replaceAll("%25", "%2525"));
  } catch {
    return escapes;
  }
}

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's X-Request-Id if it has the accepted form and contains no secret, otherwise a new id. */
export function requestIdOf(request: Pick<HttpRequest, "headers">): string {
  const given = request.headers.get("X-Request-Id");
  const isKept = given !== null && ACCEPTED.test(given) && given.search(SECRET_LIKE) === -1;
  return isKept ? given : crypto.randomUUID();
}

/** A request while it passes through the checks. */
export type RequestContext<O = Description> = {
  request: HttpRequest;
  path: string;
  /** What stands before paths in absolute URLs of the interface; empty where it has no base address. */
  root: string;
  /** The matched operation, found before any check, so that refused requests count for it too. */
  route: Route<O>;
  requestId: string;
  connection: Connection;
  /** The headers of the response, also of an error response. */
  headers: Record<string, string>;
  /** When the request arrived, by `performance.now()`. */
  startedAt: number;
  /** The code of its error response. */
  error: ErrorCode | undefined;
};

export function newContext<O = Description>(
  request: HttpRequest,
  connection: Connection,
  router: Router<O> = noRoutes,
  root = "",
): RequestContext<O> {
  const requestId = requestIdOf(request);
  const path = pathOf(request.url);
  return {
    request,
    path,
    root,
    route: router(request.method, path),
    requestId,
    connection,
    headers: firstHeaders(requestId),
    startedAt: performance.now(),
    error: undefined,
  };
}

/** The headers of every response. */
export function firstHeaders(requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
}

/** Returns a response with a JSON body, the context's headers and `own` headers. Bigints are written as their digits. */
export function json(
  context: RequestContext,
  status: number,
  body: unknown,
  own?: Record<string, string>,
): HttpResponse {
  return jsonText(context, status, toJson(body), own);
}

/** The same for a body that is JSON text already. */
export function jsonText(
  context: RequestContext,
  status: number,
  body: string,
  own?: Record<string, string>,
): HttpResponse {
  const { headers } = context;
  headers["Content-Type"] = "application/json";
  if (own !== undefined) Object.assign(headers, own);
  return { status, headers, body };
}

/** Returns a response without a body. */
export function noContent({ headers }: RequestContext): HttpResponse {
  return { status: 204, headers, body: null };
}

/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port; it may be empty (RFC 9112, 3.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Nearly all requests name the same host. */
let lastValid = "";

/** Whether the header Host is valid. Two of them are joined with `, `. */
export function hasValidHost(host: string): boolean {
  if (host === lastValid) return true;
  if (!HOST.test(host)) return false;
  lastValid = host;
  return true;
}

/** The largest request line and headers, in bytes. */
export const MAX_HEAD = 16 * 1024;

/** The media types of a change: a merge patch (RFC 7396), which is JSON. */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;
const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";]*)/i;

/**
 * Returns the function that reads a request's JSON body with `schema`. A missing body is allowed if the schema accepts
 * undefined. It throws payload_too_large, unsupported_media_type, invalid_json and validation_failed, in this order. If it is
 * strict, unknown fields are invalid, but for `id`: a resource that was read can be sent back.
 */
export function bodyReader<S extends z.ZodType>(schema: S, types: readonly string[] = ["application/json"]) {
  const shape = shapeOf(schema);
  return ({ request }: RequestContext, isStrict = false): z.output<S> => {
    const isAbsent = wholeBody(request.body).length === 0;
    const absent = isAbsent ? schema.safeParse(undefined) : undefined;
    if (absent?.success) return absent.data;
    const bytes = jsonBytes(request, types);
    const unknown: Issue[] = [];
    const onUnknown: OnUnknown = (path, names) => {
      if (path.at(-1) !== "id" && unknown.length < MOST_UNKNOWN)
        unknown.push({ path, message: unknownName(path, names) });
    };
    const result = schema.safeParse(parseJson(bytes, "The request body", shape, isStrict ? onUnknown : undefined));
    if (result.success && unknown.length === 0) return result.data;
    throw invalid([...unknown, ...(result.error?.issues ?? [])]);
  };
}

/** The unknown fields that a response names. */
const MOST_UNKNOWN = 20;

/** The problem of an unknown name, at the end of a path, beside the known names. */
export function unknownName(path: readonly string[], names: readonly string[]): string {
  const closest = closestTo(path.at(-1) ?? "", names);
  if (closest !== undefined) return `is unknown; the nearest is ${closest}`;
  return names.length === 0 ? "is unknown; there are none" : `is unknown; there are ${names.join(", ")}`;
}

/** The errors of bodies that did not come whole. */
const problems: Record<Exclude<BodyProblem, "too large">, [PublicErrorCode, message: string]> = {
  late: ["invalid_json", "The request body took too long to arrive."],
  incomplete: ["invalid_json", "The request body is incomplete."],
  malformed: ["invalid_json", "The request body is not framed as HTTP requires."],
};

/**
 * Refuses a request whose body did not come whole, whether or not its operation takes one: nothing is done for it.
 * @throws payload_too_large, invalid_json; invalid_parameter for a large body that the operation does not take
 */
export function requireBody({ body }: HttpRequest, { request }: Pick<Description, "request"> = {}): void {
  if (typeof body !== "string") return;
  if (body !== "too large") {
    const [code, message] = problems[body];
    throw new PetstoreError(code, { message });
  }
  const message = `The request body must not be larger than ${request?.maxBytes ?? MAX_BODY_BYTES} bytes.`;
  throw new PetstoreError(request?.body === undefined ? "invalid_parameter" : "payload_too_large", { message });
}

function wholeBody(body: HttpRequest["body"]): Uint8Array {
  if (body instanceof Uint8Array) return body;
  throw new Error("the body of this request does not come whole");
}

/** The bytes of a body that says it is JSON. @throws unsupported_media_type */
export function jsonBytes({ headers, body }: HttpRequest, types: readonly string[] = ["application/json"]): Uint8Array {
  const bytes = wholeBody(body);
  const type = headers.get("Content-Type") ?? "";
  const name = type.split(";", 1)[0]?.trimEnd().toLowerCase() ?? "";
  const charset = CHARSET.exec(type)?.[1]?.trim().toLowerCase() ?? "utf-8";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (types.includes(name) && ["utf-8", "utf8"].includes(charset) && encoding === "identity") return bytes;
  const problem = bytes.length === 0 ? "The request body is empty. " : "";
  const message = `${problem}Send the body as JSON in UTF-8, uncompressed, with Content-Type: ${types.join(" or ")}.`;
  throw new PetstoreError("unsupported_media_type", { message });
}

type Issue = { path: PropertyKey[]; message: string };

function invalid(issues: Issue[]): PetstoreError {
  const details = issues.map(({ path, message }): Detail => ({ field: path.join("."), problem: message }));
  const message = details.map(({ field, problem }) => `${field || "The body"} ${problem}.`).join(" ");
  return new PetstoreError("validation_failed", { message, details });
}

import { getPath } from "hono/utils/url";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { ErrorCode } from "../../domain/errors.ts";
import { SECRET_LIKE } from "../../domain/keys/secret.ts";
import { type Description, noRoutes, type Route, type Router } from "./routes.ts";

/** The connection on which a request arrived. */
export interface Connection {
  /** The address at its other end. */
  address(): string;
  /** Lets the connection be open for so long without traffic, in ms, in addition to its idle time-out. */
  allowPause(milliseconds: number): void;
  /**
   * Cuts the connection once the responses to earlier requests are sent: the client gets no byte of this one. Returns a
   * response that nobody gets.
   */
  cut(): Awaitable<Response>;
}

/** The first lines of a request. A `Request` has them, and some runtimes have them before they make one. */
export type RequestHead = {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
};

const ACCEPTED = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's X-Request-Id if it has the accepted form and contains no secret, otherwise a new id. */
export function requestIdOf(request: RequestHead): string {
  const given = request.headers.get("X-Request-Id");
  const isKept = given !== null && ACCEPTED.test(given) && given.search(SECRET_LIKE) === -1;
  return isKept ? given : crypto.randomUUID();
}

const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** Makes a response from its parts, in the way that is fastest on the runtime. */
export type NewResponse = (body: string | null, init: { status: number; headers: Record<string, string> }) => Response;

/** A request while it passes through the checks. */
export type RequestContext<O = Description> = {
  request: Request;
  path: string;
  /** The matched operation, found before any check, so that refused requests count for it too. */
  route: Route<O>;
  requestId: string;
  connection: Connection;
  /** The headers of the response, also of an error response. */
  headers: Record<string, string>;
  /** When the request arrived, by `performance.now()`. */
  startedAt: number;
  newResponse: NewResponse;
  /** The code of its error response. */
  error: ErrorCode | undefined;
};

export function newContext<O = Description>(
  request: Request,
  connection: Connection,
  router: Router<O> = noRoutes,
  newResponse: NewResponse = (body, init) => new Response(body, init),
): RequestContext<O> {
  const requestId = requestIdOf(request);
  const path = getPath(request);
  const headers = firstHeaders(requestId);
  if (asksToClose(request)) headers.Connection = "close";
  return {
    request,
    path,
    route: router(request.method, path),
    requestId,
    connection,
    headers,
    startedAt: performance.now(),
    newResponse,
    error: undefined,
  };
}

/** The headers of every response. */
export function firstHeaders(requestId: string): Record<string, string> {
  return { "X-Request-Id": requestId, "X-Content-Type-Options": "nosniff" };
}

/** Whether the client closes the connection after this request: the response then says so too (RFC 9112, 9.6). */
export function asksToClose({ headers }: RequestHead): boolean {
  const connection = headers.get("Connection");
  return connection !== null && CLOSE.test(connection);
}

/** Returns a response with a JSON body, the context's headers and `own` headers. */
export function json(context: RequestContext, status: number, body: unknown, own?: Record<string, string>): Response {
  return jsonText(context, status, JSON.stringify(body), own);
}

/** The same for a body that is JSON text already. */
export function jsonText(
  context: RequestContext,
  status: number,
  body: string,
  own?: Record<string, string>,
): Response {
  const { headers } = context;
  headers["Content-Type"] = "application/json";
  if (own !== undefined) Object.assign(headers, own);
  return context.newResponse(body, { status, headers });
}

/** Returns a response without a body. */
export function noContent({ headers, newResponse }: RequestContext): Response {
  return newResponse(null, { status: 204, headers });
}

/** A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port; it may be empty (RFC 9112, 3.2). */
const HOST = /^(?:\[[\da-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[\da-f]{2})*)(?::\d*)?$/i;

/** Nearly all requests name the same host. */
let lastValid = "";

/** Whether the header Host is valid, or missing, as HTTP/1.0 allows. Both runtimes join two of them with `, `. */
export function hasValidHost({ headers }: RequestHead): boolean {
  const host = headers.get("Host") ?? "";
  if (host === lastValid) return true;
  if (!HOST.test(host)) return false;
  lastValid = host;
  return true;
}

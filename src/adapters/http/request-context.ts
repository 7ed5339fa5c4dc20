import { getPath } from "hono/utils/url";
import type { ErrorCode } from "../../domain/error-catalogue.ts";
import type { Connection } from "./connection.ts";
import type { Description } from "./description.ts";
import type { RequestHead } from "./request-head.ts";
import { requestIdOf } from "./request-id.ts";
import { noRoutes, type Route, type Router } from "./routes.ts";

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

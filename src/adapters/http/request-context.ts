import { getPath } from "hono/utils/url";
import type { Description } from "./description.ts";
import { requestIdOf } from "./request-id.ts";
import { nowhere, type Route, type Router } from "./routes.ts";

/** Gives the address at the other end of a connection. */
export type Peer = () => string;

const CLOSE = /(?:^|,)\s*close\s*(?:,|$)/i;

/** One request on its way through the checks. */
export type RequestContext<O = Description> = {
  request: Request;
  path: string;
  /** The operation that it is for, found before any check, so that refusals count for it too. */
  route: Route<O>;
  requestId: string;
  peer: Peer;
  /** The headers of its response, of a refusal too. */
  headers: Record<string, string>;
  /** When it arrived, by `performance.now()`. */
  startedAt: number;
};

export function newContext<O = Description>(
  request: Request,
  peer: Peer,
  router: Router<O> = nowhere,
): RequestContext<O> {
  const requestId = requestIdOf(request);
  const path = getPath(request);
  return {
    request,
    path,
    route: router(request.method, path),
    requestId,
    peer,
    headers: { "X-Request-Id": requestId, ...(asksToClose(request) && { Connection: "close" }) },
    startedAt: performance.now(),
  };
}

/** Whether the client closes the connection after this request: the response then says so too (RFC 9112, 9.6). */
function asksToClose({ headers }: Request): boolean {
  const connection = headers.get("Connection");
  return connection !== null && CLOSE.test(connection);
}

/** A response with a JSON body, the context's headers and its own. */
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
  return new Response(body, { status, headers });
}

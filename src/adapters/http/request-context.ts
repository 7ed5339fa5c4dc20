import type { Context } from "hono";
import { getPath } from "hono/utils/url";
import type { Awaitable } from "../../domain/awaitable.ts";
import type { Key } from "../../domain/keys/key.ts";
import type { Decision, LimitStatus } from "../../domain/limits/limiter.ts";
import { type Operation, operationOf } from "../../domain/usage/recorder.ts";
import type { Description } from "./description.ts";
import { requestIdOf } from "./request-id.ts";
import { nowhere, type Route, type Router } from "./routes.ts";

/** Gives the address at the other end of a connection. */
export type Peer = () => string;

/** One request on its way through the checks, with what is known of it so far. */
export type RequestContext = {
  request: Request;
  path: string;
  operation: Operation;
  route: Route<Description>;
  requestId: string;
  peer: Peer;
  /** The headers that its answer will carry, whatever the answer is. */
  headers: Record<string, string>;
  /** Who is calling, once that is known. */
  caller: Key | undefined;
  /** What the limits made of it, once they were asked. */
  decision: Decision | undefined;
  /** Where the caller stands, where that was looked at in place of counting. */
  standing: LimitStatus | undefined;
};

/** A context that has passed authentication and limits. */
export type Admitted = RequestContext & { caller: Key };

/** What a handler is given: the request in `c.req`, and the context in `c.env`. */
export type Call = Context<{ Bindings: Admitted }>;
export type Handler = (c: Call) => Awaitable<Response>;

export function newContext(request: Request, peer: Peer, router: Router<Description> = nowhere): RequestContext {
  const requestId = requestIdOf(request);
  const headers = { "X-Request-Id": requestId };
  const path = getPath(request);
  return {
    request,
    path,
    operation: operationOf(request.method, path),
    route: router(request.method, path),
    requestId,
    peer,
    headers,
    caller: undefined,
    decision: undefined,
    standing: undefined,
  };
}

/** An answer with a JSON body, the context's headers and those of its own. */
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

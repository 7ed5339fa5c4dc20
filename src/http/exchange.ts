import type { Context } from "hono";
import type { Awaitable } from "../awaitable.ts";
import type { Key } from "../keys/key.ts";

/** What is known of one request on its way through the checks. */
export type Exchange = {
  requestId: string;
  /** The headers that its answer will carry, whatever the answer is. */
  headers: Record<string, string>;
  /** The id of the caller's key, once it is known. */
  keyId?: string;
};

/** An exchange that has passed authentication and limits. */
export type Admitted = Exchange & { caller: Key };

/** What a handler is given: the request in `c.req`, and the exchange in `c.env`. */
export type Call = Context<{ Bindings: Admitted }>;
export type Handler = (c: Call) => Awaitable<Response>;

/** An answer with a JSON body, the exchange's headers and those of its own. */
export function json(
  exchange: Exchange,
  status: number,
  body: unknown,
  headers: Record<string, string> = {},
): Response {
  return jsonText(exchange, status, JSON.stringify(body), headers);
}

/** The same for a body that is JSON text already. */
export function jsonText(exchange: Exchange, status: number, body: string, headers?: Record<string, string>): Response {
  const all = { "Content-Type": "application/json", ...exchange.headers, ...headers };
  return new Response(body, { status, headers: all });
}

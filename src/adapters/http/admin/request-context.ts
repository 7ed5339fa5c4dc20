import type { Context } from "hono";
import type { Author } from "../../../domain/audit/entry.ts";
import type { Awaitable } from "../../../domain/awaitable.ts";
import { toJson } from "../../../domain/json/write.ts";
import type { Operator, Session } from "../../../domain/operators/operator.ts";
import { jsonText, type RequestContext } from "../request-context.ts";

/** A context whose operator is known, and the session, where there is one. */
export type Operated = RequestContext & { operator: Operator; session: Session | undefined };

/** What a handler is given: the request in `c.req`, and the context in `c.env`. */
export type Call = Context<{ Bindings: Operated }>;
export type Handler = (c: Call) => Awaitable<Response>;

/** What every id of ours is made of. Anything else is no id, and not worth a look-up: PostgreSQL refuses a NUL. */
export const ID = /^\w{1,100}$/;

/** The id in the path; an empty one, which nothing has, for a text that is none. */
export function idOf(c: Call): string {
  const id = c.req.param("id") ?? "";
  return ID.test(id) ? id : "";
}

/** On whose behalf, and for which request, something is changed. */
export function authorOf({ operator: { id, name }, requestId }: Operated): Author {
  return { operator: { id, name }, requestId };
}

/** An answer with a JSON body; bigints in it are written as their digits. */
export function answer(context: RequestContext, status: number, body: unknown, own?: Record<string, string>): Response {
  return jsonText(context, status, toJson(body), own);
}

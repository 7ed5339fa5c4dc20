import { toJson } from "../../../domain/json.ts";
import type { Operator, Session } from "../../../domain/operators.ts";
import { jsonText, type RequestContext } from "../request.ts";

/** The context of an operator's request; with the session, unless the operator sent a token. */
export type OperatorContext = RequestContext & { operator: Operator; session: Session | undefined };

/** A response with a JSON body. Bigints in it are written as their digits. */
export function json(context: RequestContext, status: number, body: unknown, own?: Record<string, string>): Response {
  return jsonText(context, status, toJson(body), own);
}

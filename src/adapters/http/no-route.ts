import type { Hono } from "hono";
import { PetstoreError } from "../../domain/errors.ts";
import type { RequestContext } from "./request-context.ts";

const METHODS = ["GET", "POST", "PATCH", "DELETE"];

/** Why no route answers: the path has other methods (405, RFC 9110 15.5.6), or there is nothing at it (404). */
export function noRoute<E extends RequestContext>(
  { router }: Hono<{ Bindings: E }>,
  { path, headers }: RequestContext,
  hint: string,
): PetstoreError {
  const allowed = METHODS.filter((method) => router.match(method, path)[0].length > 0);
  if (allowed.length === 0)
    return new PetstoreError("not_found", { message: `There is nothing at this path. ${hint}` });
  const methods = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  headers.Allow = methods;
  return new PetstoreError("method_not_allowed", { message: `This path answers ${methods}.` });
}

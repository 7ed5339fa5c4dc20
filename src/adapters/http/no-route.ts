import type { Hono } from "hono";
import { PetstoreError } from "../../domain/errors.ts";
import type { RequestContext } from "./request-context.ts";

/** Where clients of the public interface find its paths. */
export const PATHS_HINT = "See /docs for the paths.";

const METHODS = ["GET", "POST", "PATCH", "DELETE"];

/** Returns the operation of a request. @throws not_found; method_not_allowed, with the methods of the path */
export function requireOperation<O>(context: RequestContext<O>, hint: string): O {
  const { operation, allowed, meant } = context.route;
  if (operation !== undefined) return operation;
  if (meant !== undefined) {
    const message = `This path does not exist: it ends in a slash. Use ${meant} without it.`;
    throw new PetstoreError("not_found", { message });
  }
  throw routeError(context, allowed, hint);
}

/** Returns the error for a request that matches no Hono route. */
export function noRoute<E extends RequestContext>(
  { router }: Hono<{ Bindings: E }>,
  context: RequestContext,
  hint: string,
): PetstoreError {
  const found = METHODS.filter((method) => router.match(method, context.path)[0].length > 0);
  const allowed = found.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method]));
  return routeError(context, allowed, hint);
}

/** 405 if the path has other methods (RFC 9110, 15.5.6), otherwise 404. */
function routeError({ headers }: RequestContext<unknown>, allowed: readonly string[], hint: string): PetstoreError {
  if (allowed.length === 0) {
    return new PetstoreError("not_found", { message: `This path does not exist. ${hint}` });
  }
  headers.Allow = allowed.join(", ");
  return new PetstoreError("method_not_allowed", { message: `This path answers ${headers.Allow}.` });
}

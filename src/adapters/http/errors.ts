import { type ErrorCode, type ErrorKind, errorCatalogue } from "../../domain/error-catalogue.ts";
import { type Detail, PetstoreError } from "../../domain/errors.ts";
import { jsonText, type RequestContext } from "./request-context.ts";

/** docs/errors.md: Error. */
export type ErrorBody = { code: ErrorCode; message: string; status: number; details?: Detail[] };

/** Logs the cause of a 5xx, which the response does not contain. */
export type Report = (error: PetstoreError, requestId: string) => void;

const statuses: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition: 412,
  too_large: 413,
  unsupported: 415,
  unprocessable: 422,
  limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
};

/** The HTTP status of an error code. */
export function statusOf(code: ErrorCode): number {
  return statuses[errorCatalogue[code].kind];
}

/** Returns the response for an error. Anything but a PetstoreError is an internal error. */
export function errorResponse(context: RequestContext, thrown: unknown, report: Report): Response {
  const { status, body } = errorAnswer(context, thrown, report);
  return jsonText(context, status, body);
}

/** The same before the runtime makes the response. */
export function errorAnswer(
  context: Pick<RequestContext, "requestId" | "headers" | "error">,
  thrown: unknown,
  report: Report,
): { status: number; body: string } {
  const { requestId, headers } = context;
  const error = thrown instanceof PetstoreError ? thrown : new PetstoreError("internal_error", { cause: thrown });
  if (error.isFailure) report(error, requestId);
  const { code, message, details, retryAfter } = error;
  context.error = code;
  headers["Cache-Control"] = "no-store";
  headers["Content-Type"] = "application/json";
  if (retryAfter !== undefined) headers["Retry-After"] = String(retryAfter);
  const body: ErrorBody = { code, message, status: statusOf(code), ...(details && { details }) };
  return { status: body.status, body: JSON.stringify(body) };
}

import type { Detail, ErrorCode } from "../../domain/errors.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { json, type RequestContext } from "./request-context.ts";

/** docs/errors.md: Error. */
export type ErrorBody = { code: ErrorCode; message: string; status: number; details?: Detail[] };

/** Where what is behind a 5xx is told, for the log; callers are told nothing of it. */
export type Report = (error: PetstoreError, requestId: string) => void;

/** The answer for whatever was thrown. */
export function errorResponse(context: RequestContext, thrown: unknown, report: Report): Response {
  const error = thrown instanceof PetstoreError ? thrown : internalError(thrown);
  if (error.status >= 500) report(error, context.requestId);
  const { code, message, status, details } = error;
  const body: ErrorBody = { code, message, status, ...(details && { details }) };
  return json(context, status, body, error.headers);
}

function internalError(cause: unknown): PetstoreError {
  const message = "Something went wrong on our side. The X-Request-Id of this answer names it in our log.";
  return new PetstoreError("internal_error", message, { cause });
}

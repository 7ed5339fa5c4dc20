import { type ErrorCode, type ErrorKind, errorCatalogue } from "./error-catalogue.ts";

/** One problem of a request: where it is, in which field, and what the field must be. */
export type Detail = { in: "body" | "query" | "header"; field: string; problem: string };

type Options = {
  /** Replaces the code's message: what exactly was wrong. Clients read it. */
  message?: string;
  details?: Detail[];
  /** Replaces the code's `retryAfter`: seconds after which the same request may succeed. */
  retryAfter?: number;
  /** The underlying error. It is logged and never sent to the client. */
  cause?: unknown;
};

/** The one error type. Only the HTTP interfaces turn it into a response. */
export class PetstoreError extends Error {
  readonly code: ErrorCode;
  readonly kind: ErrorKind;
  readonly details: Detail[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ErrorCode, { message, details, retryAfter, cause }: Options = {}) {
    const entry = errorCatalogue[code];
    super(message ?? entry.message, { cause });
    this.name = "PetstoreError";
    this.code = code;
    this.kind = entry.kind;
    this.details = details;
    this.retryAfter = retryAfter ?? entry.retryAfter;
  }

  /** Whether the service failed. Other errors are due to the request. */
  get isFailure(): boolean {
    return this.kind === "internal" || this.kind === "unavailable";
  }
}

/** The error for a dependency (disk, database) that is not available. The same request may be sent again. */
export function unavailable(cause: unknown): PetstoreError {
  return new PetstoreError("service_unavailable", { cause });
}

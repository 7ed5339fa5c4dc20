import type { RateLimits } from "./limits.ts";
import type { components } from "./schema.ts";

type ErrorBody = components["schemas"]["Error"];

/** What the service refused a request for. The list is closed. */
export type ServiceCode = ErrorBody["code"];

/** What kept an answer from coming: no connection, no time, or an answer that is not the service's. */
export type ConnectionCode = "connection_failed" | "timed_out" | "unexpected_response";

/** Any code that an error of this library has. */
export type ErrorCode = ServiceCode | ConnectionCode;

/** One thing that is wrong with a request: where it stands, which field, and what to do about it. */
export type ErrorDetail = NonNullable<ErrorBody["details"]>[number];

/** What an error is made of. */
export interface ErrorFacts {
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Names the request in the service's log. */
  readonly requestId: string;
  /** Everything that is wrong with the request, where the service says so. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** Seconds to wait before another try, where the service says so. */
  readonly retryAfter?: number | undefined;
  /** Where the key stands with its limits, as far as it is known. */
  readonly limits?: RateLimits | undefined;
  /** What went wrong underneath. */
  readonly cause?: unknown;
}

/** Whatever a call fails with, except an abort, which fails with the signal's own reason. */
export class PetstoreError extends Error {
  override readonly name: string = "PetstoreError";
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Names the request in the service's log. */
  readonly requestId: string;
  /** Seconds to wait before another try, where the service says so. */
  readonly retryAfter: number | undefined;

  /** Errors are made by the client; make one yourself only to test your own code. */
  constructor(message: string, facts: ErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status;
    this.requestId = facts.requestId;
    this.retryAfter = facts.retryAfter;
  }
}

/** 400, 413, 415: what was sent is not what the service takes. Never sent again by itself. */
export class ValidationError extends PetstoreError {
  override readonly name: string = "ValidationError";
  /** Every single thing that is wrong; empty where the service does not say. */
  readonly details: readonly ErrorDetail[];

  /** Errors are made by the client; make one yourself only to test your own code. */
  constructor(message: string, facts: ErrorFacts) {
    super(message, facts);
    this.details = facts.details ?? [];
  }
}

/** 401: the key is missing, unknown, expired or revoked. */
export class AuthenticationError extends PetstoreError {
  override readonly name: string = "AuthenticationError";
}

/** 403: the key lacks the scope that the operation needs. */
export class ScopeError extends PetstoreError {
  override readonly name: string = "ScopeError";
}

/** 404: there is no such pet, or nothing at this address. */
export class NotFoundError extends PetstoreError {
  override readonly name: string = "NotFoundError";
}

/** 410: the operation was removed. The message names what to call instead. */
export class RemovedError extends PetstoreError {
  override readonly name: string = "RemovedError";
}

/** 409, 422: another creation is known under this `Idempotency-Key`: still under way, or of another pet. */
export class IdempotencyError extends PetstoreError {
  override readonly name: string = "IdempotencyError";
}

/** 429, or a request that was held back because it would have been: a limit is used up, or the key is banned. */
export class RateLimitError extends PetstoreError {
  override readonly name: string = "RateLimitError";
  /** Seconds to wait before another try. */
  declare readonly retryAfter: number;
  /** Where the key stands with each of its limits. */
  readonly limits: RateLimits;

  /** Errors are made by the client; make one yourself only to test your own code. */
  constructor(message: string, facts: ErrorFacts) {
    super(message, { ...facts, retryAfter: facts.retryAfter ?? 1 });
    this.limits = facts.limits ?? {};
  }
}

/** 5xx: the service cannot do this right now. */
export class ServiceError extends PetstoreError {
  override readonly name: string = "ServiceError";
}

/** No usable answer came: the connection failed, it took too long, or something else than the service answered. */
export class ConnectionError extends PetstoreError {
  override readonly name: string = "ConnectionError";
}

/** An answer that is not the service's. */
export function unexpected(message: string, status: number, requestId: string, cause?: unknown): ConnectionError {
  return new ConnectionError(message, { code: "unexpected_response", status, requestId, cause });
}

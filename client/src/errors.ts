import type { RateLimits } from "./limits.ts";
import type { components } from "./schema.ts";

type ErrorBody = components["schemas"]["Error"];

/** The error codes of the service. The list is closed. */
export type ServiceCode = ErrorBody["code"];

/** The codes of a missing or invalid response: no connection, a time-out, or a response that is not from the service. */
export type ConnectionCode = "connection_failed" | "timed_out" | "unexpected_response";

/** All error codes of this library. */
export type ErrorCode = ServiceCode | ConnectionCode;

/** A problem of a request: its place, the field, and what the field must be. */
export type ErrorDetail = NonNullable<ErrorBody["details"]>[number];

/** The properties of an error. */
export interface ErrorProperties {
  /** What went wrong, for programs. */
  readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  readonly status: number;
  /** Names the request in the service's log. */
  readonly requestId: string;
  /** The problems of the request, if the service lists them. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** Seconds to wait before another try, where the service says so. */
  readonly retryAfter?: number | undefined;
  /** The limit state of the key, as far as it is known. */
  readonly limits?: RateLimits | undefined;
  /** The underlying error. */
  readonly cause?: unknown;
}

/** The error of a failed call. Only an aborted call rejects with another error, the signal's reason. */
export class PetstoreError extends Error {
  override readonly name: string = "PetstoreError";
  /** What went wrong, for programs. */
  declare readonly code: ErrorCode;
  /** The HTTP status; 0 when there was no answer. */
  declare readonly status: number;
  /** Names the request in the service's log. */
  declare readonly requestId: string;
  /** Seconds to wait before another try, where the service says so. */
  declare readonly retryAfter: number | undefined;

  /** Errors are made by the client; make one yourself only to test your own code. */
  constructor(message: string, { cause, code, status, requestId, retryAfter }: ErrorProperties) {
    super(message, cause === undefined ? cause : { cause });
    Object.assign(this, { code, status, requestId, retryAfter });
  }
}

/** 400, 413, 415, 431: the request is invalid. The client does not retry it. */
export class ValidationError extends PetstoreError {
  override readonly name: string = "ValidationError";
  /** The problems of the request; empty if the service does not list them. */
  readonly details: readonly ErrorDetail[];

  /** Errors are made by the client; make one yourself only to test your own code. */
  constructor(message: string, properties: ErrorProperties) {
    super(message, properties);
    this.details = properties.details ?? [];
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

/** 404: the resource or the path does not exist. */
export class NotFoundError extends PetstoreError {
  override readonly name: string = "NotFoundError";
}

/** 410: the operation was removed. The message names its replacement. */
export class RemovedError extends PetstoreError {
  override readonly name: string = "RemovedError";
}

/** 409: the state of the resource, or of another one, does not allow the change. */
export class ConflictError extends PetstoreError {
  override readonly name: string = "ConflictError";
}

/** 412: the resource has changed since it was read. */
export class PreconditionError extends PetstoreError {
  override readonly name: string = "PreconditionError";
}

/** 409, 422: the first creation with this `Idempotency-Key` is in progress, or was a different one. */
export class IdempotencyError extends PetstoreError {
  override readonly name: string = "IdempotencyError";
}

/** 429, or a request that the client did not send because of the limits: a limit is used up, or the key is banned. */
export class RateLimitError extends PetstoreError {
  override readonly name: string = "RateLimitError";
  /** Seconds to wait before you retry. */
  declare readonly retryAfter: number;
  /** The state of each limit of the key. */
  readonly limits: RateLimits;

  /** Errors are made by the client; make one yourself only to test your own code. */
  constructor(message: string, properties: ErrorProperties) {
    super(message, { ...properties, retryAfter: properties.retryAfter ?? 1 });
    this.limits = properties.limits ?? {};
  }
}

/** 5xx: the service cannot process the request now. */
export class ServiceError extends PetstoreError {
  override readonly name: string = "ServiceError";
}

/** No usable response: the connection failed, the request timed out, or the response is not from the service. */
export class ConnectionError extends PetstoreError {
  override readonly name: string = "ConnectionError";
}

/** The error of a response that is not from the service. */
export function unexpected(message: string, status: number, requestId: string, cause?: unknown): ConnectionError {
  return new ConnectionError(message, { code: "unexpected_response", status, requestId, cause });
}

/** The class of each status of the service below 500. Two codes have another than their status: see `classOf`. */
const classes: Record<number, typeof PetstoreError | undefined> = {
  400: ValidationError,
  401: AuthenticationError,
  403: ScopeError,
  404: NotFoundError,
  409: ConflictError,
  410: RemovedError,
  412: PreconditionError,
  413: ValidationError,
  415: ValidationError,
  422: IdempotencyError,
  429: RateLimitError,
  431: ValidationError,
};

/** What is known of an error response besides its body. */
type Context = {
  address: string;
  status: number;
  requestId: string;
  retryAfter: number | undefined;
  limits: RateLimits;
};

/** The body of an error response, which may be of a proxy. */
type Body = { code?: unknown; message?: unknown; details?: unknown };

/** Returns the error for an error response with this body. */
export function errorOf({ code, message, details }: Body, context: Context): PetstoreError {
  const { address, status } = context;
  const properties = { ...context, details: Array.isArray(details) ? details : undefined };
  if (typeof code === "string" && typeof message === "string") {
    return new (classOf(status, code))(message, { ...properties, code: code as ServiceCode });
  }
  // Probably the response of a proxy.
  return new (status === 429 || status >= 500 ? classOf(status) : ConnectionError)(
    `The response of ${address} has status ${status} and is not from the service.`,
    { ...properties, code: "unexpected_response" },
  );
}

/** Returns the class of an error of the service, which may be newer and have codes that this version does not know. */
function classOf(status: number, code?: string): typeof PetstoreError {
  if (code === "idempotency_in_progress") return IdempotencyError;
  return (status < 500 ? code !== "position_expired" && classes[status] : ServiceError) || PetstoreError;
}

/** Every error code that can leave the interface, with its HTTP status. The list is closed. */
export const statusOf = {
  invalid_json: 400,
  validation_failed: 400,
  invalid_parameter: 400,
  missing_api_key: 401,
  invalid_api_key: 401,
  expired_api_key: 401,
  revoked_api_key: 401,
  insufficient_scope: 403,
  pet_not_found: 404,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_in_progress: 409,
  operation_removed: 410,
  payload_too_large: 413,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  rate_limit_exceeded: 429,
  quota_exceeded: 429,
  key_banned: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const;

/** The codes that only the administration interface has beside those. Closed as well. */
export const administrationStatusOf = {
  missing_credentials: 401,
  invalid_credentials: 401,
  insufficient_role: 403,
  cross_site_request: 403,
  key_not_found: 404,
  operator_not_found: 404,
  invalid_state: 409,
} as const;

const statusOfAny = { ...statusOf, ...administrationStatusOf };
export type ErrorCode = keyof typeof statusOfAny;

/** One thing that is wrong with a request: where it stands, which field, and what to do about it. */
export type Detail = { in: "body" | "query" | "header"; field: string; problem: string };

type Options = {
  details?: Detail[];
  /** Response headers that belong to this error: `Retry-After`, `Allow`, … */
  headers?: Record<string, string>;
  /** What went wrong underneath. It goes to the log, never to the caller. */
  cause?: unknown;
};

/** The one error type. Only the HTTP edge turns it into a response; `message` is written for the caller. */
export class PetstoreError extends Error {
  readonly code: ErrorCode;
  readonly details: Detail[] | undefined;
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, message: string, options: Options = {}) {
    super(message, { cause: options.cause });
    this.name = "PetstoreError";
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return statusOfAny[this.code];
  }
}

/** A part the service stands on (disk, database) cannot serve right now; the same request may be sent again. */
export function unavailable(cause: unknown): PetstoreError {
  return new PetstoreError("service_unavailable", "The service cannot do this right now. Try again in a second.", {
    headers: { "Retry-After": "1" },
    cause,
  });
}

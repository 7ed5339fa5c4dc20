/** The catalogue entry of a code. `retryAfter`: seconds after which the same request may succeed. */
type Entry<Kind> = { kind: Kind; message: string; retryAfter?: number };

/** Every error code of the public interface. The list is closed. */
export const publicErrors = {
  invalid_json: { kind: "invalid", message: "The request body is not valid JSON." },
  validation_failed: { kind: "invalid", message: "The request body lacks a field, or a field has an invalid value." },
  invalid_parameter: { kind: "invalid", message: "A query parameter or a header has an invalid value." },
  missing_api_key: {
    kind: "unauthenticated",
    message: "An API key is required. Send it in the header Authorization: Bearer <API_KEY>.",
  },
  invalid_api_key: { kind: "unauthenticated", message: "This API key does not exist." },
  expired_api_key: {
    kind: "unauthenticated",
    message: "This API key has expired. Use its new secret, or ask for a new key.",
  },
  revoked_api_key: { kind: "unauthenticated", message: "This API key was revoked. Ask for a new key." },
  disabled_api_key: {
    kind: "unauthenticated",
    message: "This API key is disabled for now. Ask the operator of the service to enable it.",
  },
  insufficient_scope: { kind: "forbidden", message: "This API key lacks the scope that this operation requires." },
  pet_not_found: { kind: "not_found", message: "There is no pet with this id." },
  category_not_found: { kind: "not_found", message: "There is no category with this id." },
  order_not_found: { kind: "not_found", message: "There is no order with this id." },
  not_found: { kind: "not_found", message: "This path does not exist." },
  method_not_allowed: { kind: "not_allowed", message: "This path does not support this method." },
  idempotency_in_progress: {
    kind: "conflict",
    message: "The first request with this Idempotency-Key is still in progress. Retry in a second.",
    retryAfter: 1,
  },
  invalid_transition: { kind: "conflict", message: "The current status does not allow this one." },
  pet_reserved: { kind: "conflict", message: "An order holds this pet. Deliver or cancel the order first." },
  pet_not_available: { kind: "conflict", message: "Only an available pet can be ordered." },
  category_exists: { kind: "conflict", message: "Another category has this name. Case is ignored." },
  category_in_use: { kind: "conflict", message: "Pets have this category. Give them another one first." },
  operation_removed: { kind: "gone", message: "This operation was removed." },
  position_expired: {
    kind: "gone",
    message:
      "Events after this position are no longer kept. Copy the lists again, and follow the events from the Petstore-Position of their first page.",
  },
  precondition_failed: {
    kind: "precondition",
    message:
      "The resource has none of the ETags in If-Match: it has changed, or does not exist. Read it again, then retry.",
  },
  payload_too_large: { kind: "too_large", message: "The request body is too large." },
  unsupported_media_type: {
    kind: "unsupported",
    message: "This operation does not take a body of this media type, charset or encoding.",
  },
  idempotency_key_reused: {
    kind: "unprocessable",
    message:
      "This Idempotency-Key was already used for another request. Send a new one with each new request, and the same one only to retry.",
  },
  request_header_too_large: {
    kind: "headers_too_large",
    message: "The request line and the headers together must not be larger than 16 KiB.",
  },
  rate_limit_exceeded: {
    kind: "limited",
    message: "Too many requests this minute. Wait for the seconds in Retry-After, and back off exponentially.",
  },
  quota_exceeded: {
    kind: "limited",
    message: "Too many requests in 24 hours. Wait for the seconds in Retry-After, or ask for a larger plan.",
  },
  key_banned: {
    kind: "limited",
    message:
      "This API key is temporarily banned: it kept sending requests after refusals. Wait for the seconds in Retry-After.",
  },
  internal_error: {
    kind: "internal",
    message: "The service failed. The X-Request-Id of this response identifies the error in its log.",
  },
  service_unavailable: {
    kind: "unavailable",
    message: "The service cannot process this request now. Retry in a second.",
    retryAfter: 1,
  },
} as const satisfies Record<string, Entry<string>>;

/** The kind of an error. The HTTP interface maps each kind to a status. */
export type ErrorKind = (typeof publicErrors)[PublicErrorCode]["kind"];

/** What is due to keys and their limits, and to the removal of an operation. */
const keyErrors = [
  "missing_api_key",
  "invalid_api_key",
  "expired_api_key",
  "revoked_api_key",
  "disabled_api_key",
  "insufficient_scope",
  "operation_removed",
  "position_expired",
  "quota_exceeded",
  "key_banned",
] as const;

/** Every error code of the administration interface: the public ones that are not due to keys, and its own. The list is closed. */
export const administrationErrors = {
  ...publicErrorsWithout(keyErrors),
  missing_credentials: {
    kind: "unauthenticated",
    message: "Sign in, or send an operator's token in the header Authorization: Bearer <TOKEN>.",
  },
  invalid_credentials: { kind: "unauthenticated", message: "This operator's token or session is not valid." },
  insufficient_role: { kind: "forbidden", message: "This requires the role admin; yours is viewer." },
  host_not_allowed: { kind: "forbidden", message: "This listener does not answer to this host name." },
  cross_site_request: { kind: "forbidden", message: "A page of another site sent this request." },
  key_not_found: { kind: "not_found", message: "There is no key with this id." },
  request_not_found: {
    kind: "not_found",
    message:
      "No request with this id is in the request history. It keeps requests for a limited time, and of those without an error it may keep a share.",
  },
  operator_not_found: { kind: "not_found", message: "There is no operator with this id." },
  backup_not_found: { kind: "not_found", message: "There is no backup of this name." },
  webhook_not_found: { kind: "not_found", message: "There is no webhook endpoint with this id." },
  alert_not_found: { kind: "not_found", message: "There is no alert with this id, or it is no longer kept." },
  event_not_found: { kind: "not_found", message: "There is no event with this id, or it is no longer kept." },
  invalid_state: { kind: "conflict", message: "The current state does not allow this." },
} as const satisfies Record<string, Entry<ErrorKind>>;

export type PublicErrorCode = keyof typeof publicErrors;
export type AdministrationErrorCode = keyof typeof administrationErrors;
export type ErrorCode = PublicErrorCode | AdministrationErrorCode;

export const errorCatalogue: Record<ErrorCode, Entry<ErrorKind>> = { ...publicErrors, ...administrationErrors };

function publicErrorsWithout<Code extends PublicErrorCode>(codes: readonly Code[]): Omit<typeof publicErrors, Code> {
  const others = Object.entries(publicErrors).filter(([code]) => !codes.some((one) => one === code));
  return Object.fromEntries(others) as Omit<typeof publicErrors, Code>;
}

/** One problem of a request: in which field, and what the field must be. Without `in` the field is one of the body. */
export type Detail = { in?: "body" | "query" | "header"; field: string; problem: string };

type PetstoreErrorOptions = {
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

  constructor(code: ErrorCode, { message, details, retryAfter, cause }: PetstoreErrorOptions = {}) {
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

/** The error for a field whose value breaks a rule: `problem` says what it must be. */
export function invalidField(field: string, problem: string): PetstoreError {
  return new PetstoreError("validation_failed", { message: `${field} ${problem}.`, details: [{ field, problem }] });
}

/** The error for query parameters or headers whose values break a rule: each problem says what one must be. */
export function invalidParameters(
  place: "query" | "header",
  problems: readonly { field: string; problem: string }[],
): PetstoreError {
  const noun = place === "query" ? "Query parameter" : "Header";
  const message = problems.map(({ field, problem }) => `${noun} ${field} ${problem}.`).join(" ");
  return new PetstoreError("invalid_parameter", { message, details: problems.map((one) => ({ in: place, ...one })) });
}

/** The error for what the current state does not allow: `message` says why. */
export function invalidState(message: string): PetstoreError {
  return new PetstoreError("invalid_state", { message });
}

/** The message of what was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The code of an error of the system, such as `ENOENT`; undefined for another one. */
export function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}

/** The service or a command cannot start; the message states why and what to do. */
export class StartupError extends Error {}

import {
  AuthenticationError,
  ConflictError,
  ConnectionError,
  type ErrorProperties,
  IdempotencyError,
  NotFoundError,
  PetstoreError,
  PreconditionError,
  RateLimitError,
  RemovedError,
  ScopeError,
  type ServiceCode,
  ServiceError,
  ValidationError,
} from "./errors.ts";
import { parse } from "./int64.ts";
import type { RateLimits } from "./limits.ts";

/** The class of each code. A new code in the document has to be added here, or this does not compile. */
const classOf: Record<ServiceCode, new (message: string, properties: ErrorProperties) => PetstoreError> = {
  invalid_json: ValidationError,
  validation_failed: ValidationError,
  invalid_parameter: ValidationError,
  missing_api_key: AuthenticationError,
  invalid_api_key: AuthenticationError,
  expired_api_key: AuthenticationError,
  revoked_api_key: AuthenticationError,
  disabled_api_key: AuthenticationError,
  insufficient_scope: ScopeError,
  pet_not_found: NotFoundError,
  category_not_found: NotFoundError,
  order_not_found: NotFoundError,
  not_found: NotFoundError,
  method_not_allowed: PetstoreError,
  idempotency_in_progress: IdempotencyError,
  invalid_transition: ConflictError,
  pet_reserved: ConflictError,
  pet_not_available: ConflictError,
  category_exists: ConflictError,
  category_in_use: ConflictError,
  operation_removed: RemovedError,
  precondition_failed: PreconditionError,
  payload_too_large: ValidationError,
  unsupported_media_type: ValidationError,
  request_header_too_large: ValidationError,
  idempotency_key_reused: IdempotencyError,
  rate_limit_exceeded: RateLimitError,
  quota_exceeded: RateLimitError,
  key_banned: RateLimitError,
  internal_error: ServiceError,
  service_unavailable: ServiceError,
};

/** What is known of an error response besides its body. */
type Context = {
  address: string;
  status: number;
  requestId: string;
  retryAfter: number | undefined;
  limits: RateLimits;
};

/** Returns the error for an error response with this body. */
export function errorOf(body: string, context: Context): PetstoreError {
  const { code, message, details } = parsed(body);
  const { address, status, ...rest } = context;
  const properties = { ...rest, status, details: Array.isArray(details) ? details : undefined };
  if (typeof code === "string" && typeof message === "string") {
    // A newer service may have codes that this version does not know: then the status decides.
    const listed = code as ServiceCode;
    const ErrorClass = Object.hasOwn(classOf, code) ? classOf[listed] : (classOfStatus(status) ?? PetstoreError);
    return new ErrorClass(message, { ...properties, code: listed });
  }
  // Probably the response of a proxy.
  const ErrorClass = classOfStatus(status) ?? ConnectionError;
  const text = `The response of ${address} has status ${status} and is not from the service.`;
  return new ErrorClass(text, { ...properties, code: "unexpected_response" });
}

function classOfStatus(status: number): typeof PetstoreError | undefined {
  if (status === 429) return RateLimitError;
  return status >= 500 ? ServiceError : undefined;
}

function parsed(body: string): { code?: unknown; message?: unknown; details?: unknown } {
  try {
    return Object(parse(body));
  } catch {
    return {};
  }
}

import {
  AuthenticationError,
  ConnectionError,
  type ErrorFacts,
  IdempotencyError,
  NotFoundError,
  PetstoreError,
  RateLimitError,
  RemovedError,
  ScopeError,
  type ServiceCode,
  ServiceError,
  ValidationError,
} from "./errors.ts";
import { parse } from "./int64.ts";
import type { RateLimits } from "./limits.ts";

/** The class of each code. One that the document gains has to be added before this compiles. */
const classOf: Record<ServiceCode, new (message: string, facts: ErrorFacts) => PetstoreError> = {
  invalid_json: ValidationError,
  validation_failed: ValidationError,
  invalid_parameter: ValidationError,
  missing_api_key: AuthenticationError,
  invalid_api_key: AuthenticationError,
  expired_api_key: AuthenticationError,
  revoked_api_key: AuthenticationError,
  insufficient_scope: ScopeError,
  pet_not_found: NotFoundError,
  not_found: NotFoundError,
  method_not_allowed: PetstoreError,
  idempotency_in_progress: IdempotencyError,
  operation_removed: RemovedError,
  payload_too_large: ValidationError,
  unsupported_media_type: ValidationError,
  idempotency_key_reused: IdempotencyError,
  rate_limit_exceeded: RateLimitError,
  quota_exceeded: RateLimitError,
  key_banned: RateLimitError,
  internal_error: ServiceError,
  service_unavailable: ServiceError,
};

/** What is known of a refusal beside its body. */
type Circumstances = { status: number; requestId: string; retryAfter: number | undefined; limits: RateLimits };

/** The error that an answer stands for which is no success. */
export function refusalOf(text: string, circumstances: Circumstances): PetstoreError {
  const { code, message, details } = bodyOf(text);
  const { status } = circumstances;
  const facts = { ...circumstances, details: Array.isArray(details) ? details : undefined };
  if (typeof code === "string" && typeof message === "string") {
    // A newer service may have codes that this does not know: their status says enough.
    const listed = code as ServiceCode;
    const Refusal = Object.hasOwn(classOf, code) ? classOf[listed] : (classOfStatus(status) ?? PetstoreError);
    return new Refusal(message, { ...facts, code: listed });
  }
  // A proxy's answer, most likely.
  const Refusal = classOfStatus(status) ?? ConnectionError;
  const said = `The answer has status ${status} and is not the service's.`;
  return new Refusal(said, { ...facts, code: "unexpected_response" });
}

function classOfStatus(status: number): typeof PetstoreError | undefined {
  if (status === 429) return RateLimitError;
  return status >= 500 ? ServiceError : undefined;
}

function bodyOf(text: string): { code?: unknown; message?: unknown; details?: unknown } {
  try {
    return Object(parse(text));
  } catch {
    return {};
  }
}

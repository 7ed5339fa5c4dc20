import { administrationStatusOf, type ErrorCode, statusOf } from "../../../domain/errors.ts";

/** Those codes of the interface that the administration interface has as well. */
const shared = [
  "invalid_json",
  "validation_failed",
  "invalid_parameter",
  "not_found",
  "method_not_allowed",
  "payload_too_large",
  "unsupported_media_type",
  "rate_limit_exceeded",
  "internal_error",
  "service_unavailable",
] as const satisfies (keyof typeof statusOf)[];

/** Every error code that can leave the administration listener, with its HTTP status. The list is closed. */
export const codes: Partial<Record<ErrorCode, number>> = {
  ...Object.fromEntries(shared.map((code) => [code, statusOf[code]])),
  ...administrationStatusOf,
};

import { PetstoreError } from "../../domain/errors.ts";

/** A creation's name: what its client makes up for it. Also published in the document. */
export const IDEMPOTENCY_KEY = { minLength: 1, maxLength: 255, pattern: "^[ -~]{1,255}$" };
const PATTERN = new RegExp(IDEMPOTENCY_KEY.pattern);

const PROBLEM = `must be ${IDEMPOTENCY_KEY.minLength} to ${IDEMPOTENCY_KEY.maxLength} printable ASCII characters`;

/** The request's Idempotency-Key, if it has one. @throws invalid_parameter */
export function readIdempotencyKey(headers: Headers): string | undefined {
  const value = headers.get("Idempotency-Key");
  if (value === null) return undefined;
  if (PATTERN.test(value)) return value;
  throw new PetstoreError("invalid_parameter", {
    message: `Header Idempotency-Key ${PROBLEM}.`,
    details: [{ in: "header", field: "Idempotency-Key", problem: PROBLEM }],
  });
}

import { type ErrorCode, PetstoreError } from "../errors.ts";
import type { Decision, Outcome } from "../limits/limiter.ts";

const reasons: Record<Exclude<Outcome, "allowed">, string> = {
  rate_limit_exceeded:
    "Too many requests this minute. Wait for the seconds in Retry-After, and back off exponentially.",
  quota_exceeded: "Too many requests this day. Wait for the seconds in Retry-After, or ask for a larger plan.",
  key_banned:
    "This API key is banned for a while: it went on after being refused too often. Wait for the seconds in Retry-After.",
};

/** @throws rate_limit_exceeded, quota_exceeded or key_banned, unless the decision lets the request pass */
export function requireAllowed({ outcome }: Decision): void {
  if (outcome !== "allowed") throw new PetstoreError(outcome satisfies ErrorCode, reasons[outcome]);
}

import { unexpected } from "./errors.ts";
import type { components } from "./schema.ts";

/** What a key has used and has left. Times are in UTC (RFC 3339). */
export type Usage = components["schemas"]["Usage"];

/** Returns the usage in a response. @throws ConnectionError when the value is not an object */
export function usageOf(value: unknown, requestId: string): Usage {
  if (typeof value !== "object" || value === null || !("plan" in value)) {
    throw unexpected("The response is not the usage of a key.", 200, requestId);
  }
  // The other fields are not checked: the service guarantees its document.
  return value as Usage;
}

import { unexpected } from "./errors.ts";
import type { components } from "./schema.ts";

type Schemas = components["schemas"];

/** The requests of a key in one hour: by class of their status, where 4xx is without 429, and by operation. */
export type UsageHour = Omit<Schemas["UsageHour"], "byClass"> & {
  byClass: Record<"2xx" | "4xx" | "429" | "5xx", number>;
};

/** What a key has used and has left. Times are in UTC (RFC 3339). */
export type Usage = Omit<Schemas["Usage"], "last24Hours"> & { last24Hours: UsageHour[] };

/** Returns the usage in a response. @throws ConnectionError when the value is not an object */
export function usageOf(value: unknown, requestId: string): Usage {
  if (typeof value !== "object" || value === null || !("plan" in value)) {
    throw unexpected("The response is not the usage of a key.", 200, requestId);
  }
  // The other fields are not checked: the service guarantees its document.
  return value as Usage;
}

import { timestampOf } from "../timestamp.ts";
import type { WindowUsage } from "./limiter.ts";

/** The usage of a window as JSON. */
export function windowJson({ limit, used, remaining, resetAt }: WindowUsage) {
  return { limit, used, remaining, resetAt: timestampOf(resetAt && resetAt * 1000) };
}

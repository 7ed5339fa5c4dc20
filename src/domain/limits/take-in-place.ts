import { decisionOf, type LimitState } from "./limit-state.ts";
import type { Decision } from "./limiter.ts";
import type { Limits } from "./plans.ts";
import { DAY, isCurrent, MINUTE } from "./window.ts";

/**
 * Counts a request in `state` itself, as `take` would in a new one, if both windows are open and have room and nothing is
 * known of violations: nearly every request. Returns the decision; undefined if it counted nothing, and `take` decides.
 */
export function takeInPlace(state: LimitState, limits: Limits, now: number): Decision | undefined {
  const { minute, day, banState } = state;
  if (banState !== undefined || !isCurrent(minute, MINUTE, now) || !isCurrent(day, DAY, now)) return undefined;
  if (minute.count >= limits.perMinute || day.count >= limits.perDay) return undefined;
  minute.count += 1;
  day.count += 1;
  return decisionOf("allowed", state, limits, now, undefined);
}

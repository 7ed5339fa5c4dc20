import { type LimitState, take } from "./limit-state.ts";
import type { Decision, Subject } from "./limiter.ts";

/**
 * A key whose allowed requests are counted in memory that several processes share: in `cell`, of which this is the use with
 * the number `generation`. `since` is the key's limit state when it began. What changes more than the two counts ends it.
 */
export type SharedCount = { cell: number; generation: number; since: LimitState };

/** The limit state of a key after `taken` more requests. */
export function stateAfter({ minute, day, ...others }: LimitState, taken: number): LimitState {
  return {
    ...others,
    minute: { ...minute, count: minute.count + taken },
    day: { ...day, count: day.count + taken },
  };
}

/**
 * Decides on a request at `now` (Unix milliseconds), as `take` does. `changesCountsAlone` is whether it is allowed, in the
 * two windows of before: then one more is taken.
 */
export function takeAfter(
  since: LimitState,
  taken: number,
  subject: Subject,
  now: number,
): { decision: Decision; changesCountsAlone: boolean } {
  const { state, decision } = take(stateAfter(since, taken), subject, now);
  const isSame = state.minute.resetAt === since.minute.resetAt && state.day.resetAt === since.day.resetAt;
  return { decision, changesCountsAlone: decision.outcome === "allowed" && isSame };
}

import { isPlain, type LimitState } from "../../domain/limits/limit-state.ts";

/** The counts and the ends of both windows, the minute's first. */
type PlainWindows = [number, number, number, number];

/**
 * A limit state as it is stored. That of a key that was never refused takes a third of the space as four numbers: with many
 * keys, what a write costs is the pages that it changes.
 */
export function textOf(state: LimitState): string {
  const { minute, day } = state;
  return isPlain(state) ? `[${minute.count},${minute.resetAt},${day.count},${day.resetAt}]` : JSON.stringify(state);
}

/** The limit state in a text of `textOf`. Only this service writes it. */
export function limitStateIn(text: string): LimitState {
  const stored = JSON.parse(text) as LimitState | PlainWindows;
  if (!Array.isArray(stored)) return stored;
  const [minute, minuteResetAt, day, dayResetAt] = stored;
  return { minute: { count: minute, resetAt: minuteResetAt }, day: { count: day, resetAt: dayResetAt } };
}

import { isPlain, type LimitState } from "../../domain/limits/limit-state.ts";

/** The counts and the ends of both windows, the minute's first. */
type PlainWindows = [number, number, number, number];

/** A limit state as JSON. That of a key that was never refused is four numbers, a third of the space. */
export function textOf(state: LimitState): string {
  const { minute, day } = state;
  return isPlain(state) ? `[${minute.count},${minute.resetAt},${day.count},${day.resetAt}]` : JSON.stringify(state);
}

/** The limit state in parsed JSON of `textOf`. Only this service writes it. */
export function limitStateIn(stored: unknown): LimitState {
  const state = stored as LimitState | PlainWindows;
  if (!Array.isArray(state)) return state;
  const [minute, minuteResetAt, day, dayResetAt] = state;
  return { minute: { count: minute, resetAt: minuteResetAt }, day: { count: day, resetAt: dayResetAt } };
}

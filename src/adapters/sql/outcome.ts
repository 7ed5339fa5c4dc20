/** What became of a request within a transaction that others share: its result, or its refusal. */
export type Outcome<T> = { result: T } | { refusal: unknown };

/** @throws the refusal */
export function resultOf<T>(outcome: Outcome<T>): T {
  if ("refusal" in outcome) throw outcome.refusal;
  return outcome.result;
}

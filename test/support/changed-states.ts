import { type ChangedStates, LimitStates } from "../../src/domain/limits/limit-states.ts";
import type { LimitState } from "../../src/domain/limits/limits.ts";

/** Limit states to save, by key id. */
export function changedStates(states: Record<string, LimitState> = {}): ChangedStates {
  const changed = new LimitStates();
  for (const [id, state] of Object.entries(states)) changed.set(id, state);
  return changed.drain();
}

/** The keys of changed limit states. */
export function idsOf({ states, places }: ChangedStates): string[] {
  return places.map((place) => states.idAt(place));
}

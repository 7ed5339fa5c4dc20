import type { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import type { Activity } from "../domain/keys/activity.ts";
import type { Counters } from "../domain/keys/counters.ts";
import type { Limiting } from "./limiting.ts";

type States = ReturnType<Limiting["drain"]>;

/** The keys of one write, which blocks the process and SQLite for about a millisecond. */
const KEYS_PER_WRITE = 500;

/** Saves what was counted since the last run. The next run repeats what cannot be saved. */
export async function writeCounters(
  limiting: Pick<Limiting, "drain" | "requeue">,
  activity: ActivityBuffer,
  counters: Pick<Counters, "save">,
): Promise<void> {
  const states = limiting.drain();
  const recorded = activity.drain();
  // In ascending order, because the rows of neighbours are on the same pages of the store.
  const ids = [...keysIn(recorded).union(states)].sort();
  for (let i = 0; i < ids.length; i += KEYS_PER_WRITE) {
    const part = ids.slice(i, i + KEYS_PER_WRITE);
    try {
      await counters.save(statesOf(states, part), activityOf(recorded, part));
    } catch (error) {
      const rest = ids.slice(i);
      limiting.requeue(rest.filter((id) => states.has(id)));
      activity.requeue(activityOf(recorded, rest));
      throw error;
    }
  }
}

/** The states of these keys that changed; undefined for removed ones. */
function statesOf(changed: States, keyIds: string[]): States {
  return new Map(keyIds.filter((id) => changed.has(id)).map((id) => [id, changed.get(id)]));
}

function keysIn({ lastUsed, bans, deprecated }: Activity): Set<string> {
  return new Set([lastUsed, bans, ...deprecated.values()].flatMap((byKey) => [...byKey.keys()]));
}

function activityOf({ lastUsed, bans, deprecated }: Activity, keyIds: string[]): Activity {
  return {
    lastUsed: pick(lastUsed, keyIds),
    bans: pick(bans, keyIds),
    deprecated: new Map([...deprecated].map(([operation, byKey]) => [operation, pick(byKey, keyIds)])),
  };
}

/** The entries of these keys. */
function pick<V>(byKey: ReadonlyMap<string, V>, keyIds: string[]): Map<string, V> {
  const picked = new Map<string, V>();
  for (const keyId of keyIds) {
    const value = byKey.get(keyId);
    if (value !== undefined) picked.set(keyId, value);
  }
  return picked;
}

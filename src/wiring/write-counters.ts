import type { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import type { Activity, Counters } from "../domain/keys/store.ts";
import type { Limiting } from "./limiting.ts";

/** The keys of one write, which blocks the process and SQLite for about a millisecond. Four pages of limit states, if full. */
const KEYS_PER_WRITE = 1_000;

/** Saves what was counted since the last run. The next run repeats what cannot be saved. */
export async function writeCounters(
  limiting: Pick<Limiting, "drain" | "requeue">,
  activity: ActivityBuffer,
  counters: Pick<Counters, "save">,
): Promise<void> {
  const { states, places } = limiting.drain();
  const recorded = activity.drain();
  const keyIds = [...keysIn(recorded)];
  for (let i = 0; i < Math.max(places.length, keyIds.length); i += KEYS_PER_WRITE) {
    const end = i + KEYS_PER_WRITE;
    try {
      await counters.save({ states, places: places.slice(i, end) }, activityOf(recorded, keyIds.slice(i, end)));
    } catch (error) {
      limiting.requeue(places.slice(i));
      activity.requeue(activityOf(recorded, keyIds.slice(i)));
      throw error;
    }
  }
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

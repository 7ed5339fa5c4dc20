import { setTimeout as pause } from "node:timers/promises";
import type { ActivityLog } from "../adapters/memory/activity.ts";
import type { UsageLog } from "../adapters/memory/usage-log.ts";
import type { Clock } from "../domain/clock.ts";
import type { Counters } from "../domain/keys/counters.ts";
import { IDEMPOTENCY_KEY_LIFETIME } from "../domain/pets/idempotency-key.ts";
import type { UsageStore } from "../domain/usage/store.ts";
import type { Limiting } from "./limiting.ts";
import type { BackgroundTask } from "./scheduler.ts";
import type { Stores } from "./stores.ts";

/** A crash loses the counts of 1 s, and the usage of 2 s, at most. In ms. */
const WRITE_COUNTERS_EVERY = 500;
const WRITE_USAGE_EVERY = 2_000;
const CLEAN_UP_EVERY = 60_000;
/** Rows of a kind that are deleted at a time, and how long other users have the store to themselves in between, in ms. */
const BATCH = 500;
const BATCH_PAUSE = 50;

type Parts = { stores: Stores; limiting: Limiting; activity: ActivityLog; usageLog: UsageLog; clock: Clock };

/** What the service does in the background. */
export function backgroundTasks({ stores, limiting, activity, usageLog, clock }: Parts): BackgroundTask[] {
  return [
    {
      name: "write_counters",
      every: WRITE_COUNTERS_EVERY,
      run: () => writeCounters(limiting, activity, stores.counters),
    },
    { name: "write_usage", every: WRITE_USAGE_EVERY, run: () => writeUsage(usageLog, stores.usage) },
    { name: "sweep_limits", every: CLEAN_UP_EVERY, run: () => limiting.sweep() },
    {
      name: "delete_idempotency_keys",
      every: CLEAN_UP_EVERY,
      run: async (signal) => {
        const time = clock() - IDEMPOTENCY_KEY_LIFETIME;
        while (!signal.aborted && (await stores.pets.forgetIdempotencyKeys(time)) > 0);
      },
    },
    {
      name: "delete_old_usage",
      every: CLEAN_UP_EVERY,
      run: async (signal) => {
        while (!signal.aborted && (await stores.usage.prune(clock(), BATCH)) > 0) await pause(BATCH_PAUSE);
      },
    },
  ];
}

/** Saves what was counted since the last time. What cannot be saved is saved with the next run. */
async function writeCounters(limiting: Limiting, activity: ActivityLog, counters: Counters): Promise<void> {
  const states = limiting.drain();
  const noted = activity.drain();
  if (states.size === 0 && noted.lastUsed.size === 0 && noted.deprecated.size === 0) return;
  try {
    await counters.save(states, noted);
  } catch (error) {
    limiting.undrain(states.keys());
    activity.undrain(noted);
    throw error;
  }
}

/** Saves what an earlier run could not, then what was counted until now. */
async function writeUsage(log: UsageLog, store: UsageStore): Promise<void> {
  await writePending(log, store);
  log.rotate();
  await writePending(log, store);
}

async function writePending(log: UsageLog, store: UsageStore): Promise<void> {
  for (let write = log.next(); write !== undefined; write = log.next()) {
    await store.add(write);
    log.written();
  }
}

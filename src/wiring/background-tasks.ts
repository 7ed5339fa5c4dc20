import { setTimeout as pause } from "node:timers/promises";
import type { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import type { RequestBuffer } from "../adapters/memory/requests.ts";
import type { UsageBuffer } from "../adapters/memory/usage.ts";
import { IDEMPOTENCY_KEY_LIFETIME } from "../domain/changes.ts";
import { expiredSegments, type Retention } from "../domain/requests/format.ts";
import type { Clock } from "../domain/time.ts";
import type { UsageStore } from "../domain/usage/reading.ts";
import type { ClockComparison } from "./clock-comparison.ts";
import type { Limiting } from "./limiting.ts";
import { recordMissingBans } from "./missing-bans.ts";
import type { BackgroundTask } from "./scheduler.ts";
import type { Stores } from "./stores.ts";
import { writeCounters } from "./write-counters.ts";

/** In ms. A crash loses at most the last second of counters and of the request history, and what usage was not written yet. */
const WRITE_COUNTERS_INTERVAL = 500;
const WRITE_REQUESTS_INTERVAL = 1_000;
const DELETE_REQUESTS_INTERVAL = 10_000;
const CLEAN_UP_INTERVAL = 60_000;
const COMPARE_CLOCKS_INTERVAL = 60_000;
const RECORD_BANS_INTERVAL = 3_600_000;
/** Rows of a table that are deleted at a time, and the pause in between, in which others can write, in ms. */
const BATCH = 500;
const BATCH_PAUSE = 50;

type Parts = {
  stores: Stores;
  limiting: Limiting;
  activity: ActivityBuffer;
  usageBuffer: UsageBuffer;
  requestBuffer: RequestBuffer;
  retention: Retention;
  clocks: ClockComparison;
  clock: Clock;
};

/** The background tasks of a service. */
export function backgroundTasks(parts: Parts): BackgroundTask[] {
  const { stores, limiting, activity, usageBuffer, clocks, clock } = parts;
  return [
    ...limitTasks({ limiting, activity, stores }),
    clockTask(clocks),
    ...historyTasks(parts),
    {
      name: "write_usage",
      every: () => usageInterval(usageBuffer.rowsOfRotation),
      run: () => writeUsage(usageBuffer, stores.usage),
    },
    {
      name: "record_bans",
      every: RECORD_BANS_INTERVAL,
      run: async (signal) => {
        // Without Redis the store has all bans.
        if (limiting.check === undefined || signal.aborted) return;
        const { status } = limiting;
        await recordMissingBans({ keys: stores.keys, status, activity }, clock(), signal);
      },
    },
    {
      name: "delete_idempotency_keys",
      every: CLEAN_UP_INTERVAL,
      run: async (signal) => {
        const time = clock() - IDEMPOTENCY_KEY_LIFETIME;
        while (!signal.aborted && (await stores.idempotencyKeys.forget(time)) > 0);
      },
    },
    {
      name: "delete_old_usage",
      every: CLEAN_UP_INTERVAL,
      run: async (signal) => {
        while (!signal.aborted && (await stores.usage.prune(clock(), BATCH)) > 0) await pause(BATCH_PAUSE);
      },
    },
  ];
}

/** Writes the request history, and deletes what it does not keep. */
function historyTasks({ stores, requestBuffer, retention, clock }: Parts): BackgroundTask[] {
  return [
    { name: "write_requests", every: WRITE_REQUESTS_INTERVAL, run: () => requestBuffer.write() },
    {
      name: "delete_old_requests",
      every: DELETE_REQUESTS_INTERVAL,
      run: async (signal) => {
        if (signal.aborted) return;
        await stores.requests.delete(expiredSegments(await stores.requests.list(), retention, clock()));
      },
    },
  ];
}

/** The background tasks of a process that counts limits. */
export function limitTasks({
  limiting,
  activity,
  stores,
}: Pick<Parts, "limiting" | "activity" | "stores">): BackgroundTask[] {
  return [
    {
      name: "write_counters",
      every: WRITE_COUNTERS_INTERVAL,
      run: () => writeCounters(limiting, activity, stores.counters),
    },
    { name: "sweep_limits", every: CLEAN_UP_INTERVAL, run: () => limiting.sweep() },
  ];
}

export function clockTask(clocks: ClockComparison): BackgroundTask {
  return { name: "compare_clocks", every: COMPARE_CLOCKS_INTERVAL, run: () => clocks.compare() };
}

/**
 * The pause between writes of usage, in ms, after a write of so many keys' counts. The more keys are in use, the more of them
 * come again before the next write, and are written once: 20,000 keys every 2 s took a quarter of the processor.
 */
export function usageInterval(rows: number): number {
  return Math.min(2_000 + rows / 2, 10_000);
}

/** Saves what an earlier run could not save, then what was counted since. */
async function writeUsage(buffer: UsageBuffer, store: UsageStore): Promise<void> {
  await writePending(buffer, store);
  buffer.rotate();
  await writePending(buffer, store);
}

async function writePending(buffer: UsageBuffer, store: UsageStore): Promise<void> {
  for (let write = buffer.next(); write !== undefined; write = buffer.next()) {
    await store.add(write, () => buffer.visible());
    buffer.written();
  }
}

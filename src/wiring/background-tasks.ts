import { setTimeout as pause } from "node:timers/promises";
import type { RequestBuffer } from "../adapters/history/buffer.ts";
import type { ActivityBuffer } from "../adapters/memory/activity-buffer.ts";
import type { UsageBuffer } from "../adapters/memory/usage.ts";
import type { StoreStatistics as Statistics } from "../adapters/prometheus/metrics.ts";
import type { Retained } from "../adapters/sql/retention.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { IDEMPOTENCY_KEY_LIFETIME } from "../domain/changes.ts";
import type { Activity, ActivityRecorder, Counters, KeyStore, KeysPage } from "../domain/keys/store.ts";
import type { LimitBackend } from "../domain/limits/limiter.ts";
import { expiredSegments, type RequestSegments, type Retention } from "../domain/requests.ts";
import { type Clock, timestampOf } from "../domain/time.ts";
import { lengthOf, startOf } from "../domain/usage/counting.ts";
import type { UsageStore } from "../domain/usage/reading.ts";
import { countsByState } from "../domain/webhooks.ts";
import { type ClockComparison, evictionCheck } from "./health.ts";
import type { Log } from "./log.ts";
import type { Stores } from "./stores.ts";

const PAGE_SIZE = 100;
/** The longest ban and the accuracy of `lastUsedAt`, in ms: a banned key was used within this time. */
const RECENTLY = 86_400_000 + 60_000;

type BanSources = { keys: KeyStore; limits: LimitBackend; activity: ActivityRecorder };

/**
 * Records the bans that Redis has and the store does not, so that filters by state find the keys: those from before the
 * store knew bans, and those whose node ended before it saved them. `now` is in Unix ms.
 */
async function recordMissingBans({ keys, limits, activity }: BanSources, now: number, signal: AbortSignal) {
  let after: KeysPage["after"];
  do {
    const page = await keys.list({ state: ["active"], order: "oldest", limit: PAGE_SIZE, after }, now);
    const recent = page.map(({ key }) => key).filter(({ lastUsedAt = 0 }) => lastUsedAt > now - RECENTLY);
    const recording = recent.map(async (key) => {
      const { ban } = await limits.sharedStatus(key);
      if (ban !== undefined) activity.banned(key.id, { since: ban.since, until: ban.until * 1000 });
    });
    await Promise.all(recording);
    after = page.length === PAGE_SIZE ? page.at(-1)?.key : undefined;
  } while (after !== undefined && !signal.aborted);
}

/** Work that is repeated while the service runs. */
export type BackgroundTask = {
  /** The name in logs and metrics. */
  name: string;
  /** What it saves, for the log if the last run cannot. */
  saves?: string;
  /** The pause after each run, in ms; a function is asked after the run. */
  every: number | (() => number);
  /** Resolves when the pause is to end early. Asked for after the run. */
  woken?(): Promise<void>;
  /** Runs once more when the service stops, with `signal` aborted: save what must be saved, and do nothing else. */
  run(signal: AbortSignal): Awaitable<void>;
};

type TaskRecorder = { record(task: string, hasFailed: boolean): void };

/** Runs background tasks concurrently, without overlapping runs of a task. Logs a task's first failure and its recovery. */
export class Scheduler implements AsyncDisposable {
  readonly #log: Log;
  readonly #recorder: TaskRecorder;
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: Log, recorder: TaskRecorder) {
    this.#log = log;
    this.#recorder = recorder;
  }

  /** Runs every task at once, then repeats it: so a service that restarts often still runs them all. */
  start(tasks: BackgroundTask[]): void {
    this.#loops = tasks.map((task) => this.#repeat(task));
  }

  /** Resolves when the current run and the last run of every task have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }

  async #repeat(task: BackgroundTask): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    for (;;) {
      const isLast = signal.aborted;
      failures = await this.#run(task, failures);
      if (isLast) return;
      // A pause after each run instead of an interval, which would catch up after a stall.
      const every = typeof task.every === "number" ? task.every : task.every();
      const waking = new AbortController();
      const wake = () => waking.abort();
      signal.addEventListener("abort", wake);
      void task.woken?.().then(wake);
      if (!signal.aborted) await pause(every, undefined, { signal: waking.signal }).catch(() => {});
      signal.removeEventListener("abort", wake);
    }
  }

  /** Runs the task after `failures` consecutive failures. Returns the new number of consecutive failures. */
  async #run({ name, saves, run }: BackgroundTask, failures: number): Promise<number> {
    const { signal } = this.#stopping;
    const isLast = signal.aborted;
    try {
      await run(signal);
    } catch (error) {
      this.#recorder.record(name, true);
      if (isLast && saves !== undefined) {
        this.#log.error(
          { err: error, task: name },
          `${saves} could not be kept: what was not saved before the stop is lost`,
        );
      } else if (failures === 0) this.#log.warn({ err: error, task: name }, "a background task failed; it is retried");
      return failures + 1;
    }
    this.#recorder.record(name, false);
    if (failures > 0) this.#log.info({ task: name, failures }, "a background task works again");
    return 0;
  }
}

/** The keys of one write, which blocks the process and SQLite for about a millisecond. Four pages of limit states, if full. */
const KEYS_PER_WRITE = 1_000;

/** Saves what was counted since the last run. The next run repeats what cannot be saved. */
export async function writeCounters(
  limits: Pick<LimitBackend, "drain" | "requeue">,
  activity: ActivityBuffer,
  counters: Pick<Counters, "save">,
): Promise<void> {
  const { states, places } = limits.drain();
  const recorded = activity.drain();
  const keyIds = [...keysIn(recorded)];
  for (let i = 0; i < Math.max(places.length, keyIds.length); i += KEYS_PER_WRITE) {
    const end = i + KEYS_PER_WRITE;
    try {
      await counters.save({ states, places: places.slice(i, end) }, activityOf(recorded, keyIds.slice(i, end)));
    } catch (error) {
      limits.requeue(places.slice(i));
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

function pick<V>(byKey: ReadonlyMap<string, V>, keyIds: string[]): Map<string, V> {
  const picked = new Map<string, V>();
  for (const keyId of keyIds) {
    const value = byKey.get(keyId);
    if (value !== undefined) picked.set(keyId, value);
  }
  return picked;
}

/** In ms. A crash loses at most the last second of counters and of the request history, and what usage was not written yet. */
const WRITE_COUNTERS_INTERVAL = 500;
const WRITE_REQUESTS_INTERVAL = 1_000;
const DELETE_REQUESTS_INTERVAL = 10_000;
const EXPIRE_ORDERS_INTERVAL = 1_000;
const CLEAN_UP_INTERVAL = 60_000;
const COMPARE_CLOCKS_INTERVAL = 60_000;
const CHECK_EVICTION_INTERVAL = 10_000;
const RECORD_BANS_INTERVAL = 3_600_000;
const RETENTION_INTERVAL = 3_600_000;
/** Rows of a table that are deleted at a time, and the pause in between, in which others can write, in ms. */
const BATCH = 500;
const BATCH_PAUSE = 50;

export function limitTasks(limits: LimitBackend, activity: ActivityBuffer, counters: Counters): BackgroundTask[] {
  return [
    {
      name: "write_counters",
      saves: "the counters of limits",
      every: WRITE_COUNTERS_INTERVAL,
      run: () => writeCounters(limits, activity, counters),
    },
    { name: "sweep_limits", every: CLEAN_UP_INTERVAL, run: () => limits.sweep() },
  ];
}

export function clockTask(clocks: ClockComparison): BackgroundTask {
  return { name: "compare_clocks", every: COMPARE_CLOCKS_INTERVAL, run: () => clocks.compare() };
}

type RetentionOptions = {
  stores: Pick<Stores, "deleteEnded">;
  days: Record<Retained, number | undefined>;
  clocks: ClockComparison;
  clock: Clock;
  log: Log;
};

/**
 * Deletes what an operator does not keep any more, once a day, in UTC. A node whose clock is wrong deletes nothing.
 */
export function retentionTask({ stores, days, clocks, clock, log }: RetentionOptions): BackgroundTask {
  const done = new Map<Retained, number>();
  return {
    name: "delete_by_retention",
    every: RETENTION_INTERVAL,
    run: async (signal) => {
      for (const kind of ["orders", "keys", "audit"] as const) {
        const kept = days[kind];
        if (kept === undefined || signal.aborted) continue;
        clocks.requireAgreement();
        const now = clock();
        const before = startOf("day", now) - kept * lengthOf.day;
        if (done.get(kind) === before) continue;
        let deleted = 0;
        for await (const rows of stores.deleteEnded({ kind, before, now })) {
          deleted += rows;
          if (signal.aborted) return;
          if (rows > 0) await pause(BATCH_PAUSE);
        }
        done.set(kind, before);
        if (deleted > 0) log.info({ deleted, before: timestampOf(before) }, `deleted old rows of ${kind}`);
      }
    },
  };
}

/** Checks whether the server of the limits may evict counts: at once, and soon after it was connected anew or configured. */
export function evictionTasks({ server }: LimitBackend, log: Log): BackgroundTask[] {
  if (server === undefined) return [];
  return [{ name: "check_eviction", every: CHECK_EVICTION_INTERVAL, run: evictionCheck(server, log) }];
}

type RequestTaskOptions = {
  stores: Pick<Stores, "keys" | "orders" | "usage" | "requests" | "idempotencyKeys" | "events" | "standbys" | "audit">;
  limits: LimitBackend;
  activity: ActivityBuffer;
  usageBuffer: UsageBuffer;
  requestBuffer: RequestBuffer;
  retention: Retention;
  /** How many days events are kept, and how many of them. */
  events: { days: number; most: number };
  clock: Clock;
};

/** The background tasks of a process that serves clients: they write what its requests leave, and delete what is over. */
export function requestTasks(options: RequestTaskOptions): BackgroundTask[] {
  const { stores, limits, activity, usageBuffer, events, clock } = options;
  return [
    ...historyTasks(options),
    ...standbyTasks(options),
    {
      name: "write_usage",
      saves: "usage",
      every: () => usageInterval(usageBuffer.rowsOfRotation),
      run: () => writeUsage(usageBuffer, stores.usage),
    },
    {
      name: "record_bans",
      every: RECORD_BANS_INTERVAL,
      run: async (signal) => {
        // Without Redis the store has all bans.
        if (limits.server === undefined || signal.aborted) return;
        await recordMissingBans({ keys: stores.keys, limits, activity }, clock(), signal);
      },
    },
    {
      name: "expire_orders",
      every: EXPIRE_ORDERS_INTERVAL,
      run: async (signal) => {
        while (!signal.aborted && (await stores.orders.expire(clock())) > 0);
      },
    },
    { name: "end_abandoned_imports", every: CLEAN_UP_INTERVAL, run: () => stores.audit.endAbandonedImports(clock()) },
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
    {
      name: "delete_old_events",
      every: CLEAN_UP_INTERVAL,
      run: async (signal) => {
        const since = clock() - events.days * lengthOf.day;
        const prune = () => stores.events.prune({ since, most: events.most }, BATCH);
        while (!signal.aborted && (await prune()) > 0) await pause(BATCH_PAUSE);
      },
    },
  ];
}

/** Writes the request history, and deletes what it does not keep. */
function historyTasks({ stores, requestBuffer, retention, clock }: RequestTaskOptions): BackgroundTask[] {
  return [
    {
      name: "write_requests",
      saves: "the request history",
      every: WRITE_REQUESTS_INTERVAL,
      run: () => requestBuffer.write(),
    },
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

function standbyTasks({ stores: { standbys } }: RequestTaskOptions): BackgroundTask[] {
  if (standbys === undefined) return [];
  return [{ name: "compare_standbys", every: standbys.interval, run: () => standbys.compare() }];
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

/** In ms. A segment takes a fifth of it, so a search leaves most of the time to other requests. */
const PAUSE = 4;

/** The segments of the request history for searches in the serving process, with a pause before each is read. */
export function pacedSegments(segments: RequestSegments): Pick<RequestSegments, "list" | "read"> {
  return {
    list: () => segments.list(),
    async read(id) {
      await pause(PAUSE);
      return segments.read(id);
    },
  };
}

/** For so long the numbers are not asked for again, in ms. */
const LIFETIME = 5_000;
/** How long a scrape waits for the store, in ms: much less than Prometheus waits for a scrape. */
const WAIT = 500;

type CountedStores = Pick<Stores, "keys" | "pets" | "orders" | "webhooks" | "size">;

/**
 * Returns the function that returns what a store knows about itself: for scrapes, read at most once in five seconds, and never
 * for a request of a client. It resolves within half a second, with what is known, when the store does not answer.
 */
export function statisticsOf(
  { keys, pets, orders, webhooks, size }: CountedStores,
  clock: Clock,
): () => Promise<Statistics> {
  const known: Statistics = {
    keys: undefined,
    pets: undefined,
    orders: undefined,
    webhooks: undefined,
    databaseSize: undefined,
    readAt: 0,
  };
  let isFreshUntil = 0;
  let pending: Promise<void> | undefined;
  /** A part that fails keeps its value. */
  const readAll = async () => {
    const now = clock();
    const parts: (() => Promise<Partial<Statistics>>)[] = [
      async () => ({ keys: (await keys.counts(now)).byState }),
      async () => ({ pets: await pets.inventory() }),
      async () => ({ orders: await orders.counts() }),
      async () => ({ webhooks: countsByState(await webhooks().list()) }),
      async () => ({ databaseSize: await size() }),
    ];
    const readings = await Promise.allSettled(parts.map(async (part) => Object.assign(known, await part())));
    if (readings.some(({ status }) => status === "rejected")) return;
    known.readAt = now;
    isFreshUntil = performance.now() + LIFETIME;
  };
  return async () => {
    if (performance.now() >= isFreshUntil) {
      pending ??= readAll().finally(() => {
        pending = undefined;
      });
      await Promise.race([pending, pause(WAIT, undefined, { ref: false })]);
    }
    return { ...known };
  };
}

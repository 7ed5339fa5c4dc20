import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import pino from "pino";
import { RequestBuffer } from "../../src/adapters/history/buffer.ts";
import { searchRequests } from "../../src/adapters/history/search.ts";
import { MemoryRequestSegments } from "../../src/adapters/history/segments.ts";
import { ActivityBuffer } from "../../src/adapters/memory/activity-buffer.ts";
import { MemoryLimiter } from "../../src/adapters/memory/limiter.ts";
import { UsageBuffer } from "../../src/adapters/memory/usage.ts";
import { connectionTo } from "../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../src/adapters/redis/limiter.ts";
import { SqliteCounters } from "../../src/adapters/sqlite/counters.ts";
import { Database } from "../../src/adapters/sqlite/database.ts";
import { IN_MEMORY } from "../../src/adapters/sqlite/errors.ts";
import { unavailable } from "../../src/domain/errors.ts";
import { hashOf, newSecret } from "../../src/domain/keys/secret.ts";
import { noActivity } from "../../src/domain/keys/store.ts";
import { lengthOf, startOf } from "../../src/domain/usage/counting.ts";
import {
  type BackgroundTask,
  clockTask,
  limitTasks,
  pacedSegments,
  requestTasks,
  retentionTask,
  Scheduler,
  statisticsOf,
  writeCounters,
} from "../../src/wiring/background-tasks.ts";
import { readConfig } from "../../src/wiring/config.ts";
import { ClockComparison } from "../../src/wiring/health.ts";
import { openLimits } from "../../src/wiring/limits.ts";
import { openStores } from "../../src/wiring/stores.ts";
import { NOW, requestOf, written } from "../adapters/history/requests.ts";
import { type TemporaryFile, temporaryFile } from "../adapters/sqlite/temporary.ts";
import { ENTRY } from "../conformance/entry.ts";
import { changedStates } from "../support/changed-states.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import { metricsAt } from "../support/metrics.ts";
import { hasRedis, startRedis } from "../support/redis.ts";
import { startService } from "../support/service.ts";
import { temporaryDirectory } from "../support/temporary.ts";

type Line = { level: number; task: string; msg: string; err?: { message: string }; failures?: number };

const ERROR = 50;
const WARN = 40;
const INFO = 30;

/** A scheduler with what it logs, and the outcomes that it records. */
function newScheduler() {
  const lines: Line[] = [];
  const recorded: { task: string; hasFailed: boolean }[] = [];
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const scheduler = new Scheduler(log, { record: (task, hasFailed) => void recorded.push({ task, hasFailed }) });
  return { scheduler, lines, recorded };
}

/** A run of a task: how long it takes, in ms, where it does not return at once, and whether it fails. */
const run = fc.record({ takes: fc.option(fc.nat({ max: 3 }), { nil: undefined }), fails: fc.boolean() });

/** A task of the given runs, and as many that succeed as are asked for after them. */
function taskOf(name: string, runs: { takes: number | undefined; fails: boolean }[]) {
  const seen = { runs: 0, atOnce: 0, mostAtOnce: 0, wasAborted: [] as boolean[] };
  const { promise: haveRun, resolve } = Promise.withResolvers<void>();
  const task: BackgroundTask = {
    name,
    every: 1,
    run: async ({ aborted }) => {
      const { takes, fails } = runs[seen.runs] ?? { takes: undefined, fails: false };
      seen.runs += 1;
      seen.wasAborted.push(aborted);
      seen.atOnce += 1;
      seen.mostAtOnce = Math.max(seen.mostAtOnce, seen.atOnce);
      if (takes !== undefined) await sleep(takes);
      seen.atOnce -= 1;
      if (seen.runs >= runs.length) resolve();
      if (fails) throw new Error(`run ${seen.runs} failed`);
    },
  };
  return { task, seen, haveRun };
}

test("a task never overlaps itself, and runs once more while the scheduler stops, then never again", async () => {
  states(
    "ARCHITECTURE.md",
    "runs never overlap, the first failure and the recovery are logged, and a stop drains them.",
  );
  await eventuallyHolds(
    fc.asyncProperty(fc.array(run, { maxLength: 8 }), fc.array(run, { maxLength: 8 }), async (one, other) => {
      const { scheduler, recorded } = newScheduler();
      const tasks = [taskOf("one", one), taskOf("other", other)];
      scheduler.start(tasks.map(({ task }) => task));
      await Promise.all(tasks.map(({ haveRun }) => haveRun));
      await scheduler[Symbol.asyncDispose]();
      const runs = tasks.map(({ seen }) => seen.runs);
      await sleep(5);
      for (const [i, { task, seen }] of tasks.entries()) {
        expect(seen).toMatchObject({ runs: runs[i], atOnce: 0, mostAtOnce: 1 });
        expect(seen.wasAborted.indexOf(true)).toBe(seen.runs - 1);
        expect(recorded.filter((each) => each.task === task.name)).toHaveLength(seen.runs);
      }
    }),
    50,
  );
});

test("a pause that depends on the run is asked for after each run", async () => {
  const { scheduler } = newScheduler();
  const asked: string[] = [];
  const { promise: isAsked, resolve } = Promise.withResolvers<void>();
  const every = () => {
    asked.push("pause");
    if (asked.length === 6) resolve();
    return asked.length < 6 ? 0 : 60_000;
  };
  scheduler.start([{ name: "varying", every, run: () => void asked.push("run") }]);
  await isAsked;
  await scheduler[Symbol.asyncDispose]();
  expect(asked).toEqual(["run", "pause", "run", "pause", "run", "pause", "run"]);
});

test("a pause ends when the task is woken, also by what came during the run", async () => {
  const { scheduler } = newScheduler();
  const { promise: hasEnded, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const woken = async () => {
    // The first wake-up comes before the pause, the second within it.
    if (runs > 1) await sleep(1);
    if (runs > 2) return new Promise<void>(() => resolve());
  };
  scheduler.start([{ name: "woken", every: 600_000, woken, run: () => void runs++ }]);
  await hasEnded;
  await scheduler[Symbol.asyncDispose]();
  expect(runs).toBe(4);
});

test("of failures in a row the first is logged, and the recovery, once each; every run is recorded", async () => {
  states("docs/monitoring.md", "Logged once; `a background task works again` follows.");
  await eventuallyHolds(
    fc.asyncProperty(fc.array(run, { minLength: 1, maxLength: 10 }), async (runs) => {
      const { scheduler, lines, recorded } = newScheduler();
      const { task, haveRun } = taskOf("flaky", runs);
      scheduler.start([task]);
      await haveRun;
      await scheduler[Symbol.asyncDispose]();
      const outcomes = recorded.map(({ hasFailed }) => hasFailed);
      expect(outcomes.slice(0, runs.length)).toEqual(runs.map(({ fails }) => fails));
      const expected = outcomes.flatMap<Partial<Line>>((hasFailed, i) => {
        const hadFailed = i > 0 && outcomes[i - 1];
        if (hasFailed === hadFailed) return [];
        if (hasFailed) return [{ level: WARN, task: "flaky", err: { message: `run ${i + 1} failed` } }];
        return [{ level: INFO, task: "flaky", failures: i - 1 - outcomes.lastIndexOf(false, i - 1) }];
      });
      expect(lines).toHaveLength(expected.length);
      expect(lines).toMatchObject(expected);
    }),
    50,
  );
});

test("what the last run cannot save is said to be lost, whether earlier runs failed too or not", async () => {
  states(
    "docs/monitoring.md",
    "The same in the last run before the stop, of `the counters of limits`, `usage` or `the request history`.",
  );
  const { scheduler, lines } = newScheduler();
  const { promise: haveRun, resolve } = Promise.withResolvers<void>();
  let runs = 0;
  const failing = (name: string, fails: (isLast: boolean) => boolean) => ({
    ...{ name, saves: `the counts of ${name}`, every: 1 },
    run: ({ aborted }: AbortSignal) => {
      runs += 1;
      if (runs === 20) resolve();
      if (fails(aborted)) throw new Error(`${name} failed`);
    },
  });
  scheduler.start([failing("late", (isLast) => isLast), failing("all", () => true), failing("none", () => false)]);
  await haveRun;
  await scheduler[Symbol.asyncDispose]();
  const lost = lines.filter(({ level }) => level === ERROR).map(({ task, msg }) => [task, msg]);
  expect(lost.toSorted()).toEqual(
    ["all", "late"].map((name) => [
      name,
      `the counts of ${name} could not be kept: what was not saved before the stop is lost`,
    ]),
  );
});

test("stopping waits for the run under way and cuts a pause short", async () => {
  const { scheduler } = newScheduler();
  const { promise: finish, resolve } = Promise.withResolvers<void>();
  let ended = 0;
  scheduler.start([
    { name: "slow", every: 3_600_000, run: () => finish.then(() => void ended++) },
    { name: "idle", every: 3_600_000, run: () => {} },
  ]);
  let hasStopped = false;
  const stopped = scheduler[Symbol.asyncDispose]().then(() => {
    hasStopped = true;
  });
  await sleep(20);
  expect({ hasStopped, ended }).toEqual({ hasStopped: false, ended: 0 });
  resolve();
  await stopped;
  expect(ended).toBe(2);
});

test("after a stall a task does not catch up", async () => {
  const { scheduler } = newScheduler();
  const startedAt: number[] = [];
  const every = 20;
  scheduler.start([{ name: "steady", every, run: () => void startedAt.push(performance.now()) }]);
  await sleep(every);
  const stalledUntil = performance.now() + 10 * every;
  while (performance.now() < stalledUntil);
  await sleep(5 * every);
  await scheduler[Symbol.asyncDispose]();
  const pauses = startedAt.slice(1, -1).map((at, i) => at - (startedAt[i] ?? 0));
  expect(pauses.length).toBeGreaterThan(1);
  // Timers may fire up to 1 ms early.
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(every - 1);
});

test("a scheduler that was never started stops without a run", async () => {
  const { scheduler, recorded } = newScheduler();
  await scheduler[Symbol.asyncDispose]();
  expect(recorded).toEqual([]);
});

const KEYS = 2_300;
const WRITTEN_AT = Date.UTC(2026, 11, 2, 10);
const limits = { perMinute: 60, perDay: 1_000 };
const idOf = (i: number) => `key_${i}`;

let file: TemporaryFile;
let database: Database;
let store: SqliteCounters;
let limiter: MemoryLimiter;
let activity: ActivityBuffer;
beforeEach(() => {
  file = temporaryFile();
  database = new Database(file);
  store = new SqliteCounters(database);
  limiter = new MemoryLimiter(() => WRITTEN_AT);
  activity = new ActivityBuffer();
});
afterEach(() => {
  database.close();
  file.remove();
});

function useAll(): void {
  for (let i = 0; i < KEYS; i++) {
    limiter.take({ id: idOf(i), limits });
    activity.calledDeprecated("getPet", idOf(i), WRITTEN_AT, undefined);
  }
}

/** The numbers of counted requests of all keys, and of their deprecated calls, as stored. */
async function stored() {
  const states = [...(await store.load())].map(([, { minute }]) => minute.count);
  return { keys: states.length, requests: Math.max(0, ...states), calls: (await store.callTotal("getPet")).calls };
}

test("the counters of many keys are saved in several writes, each key once", async () => {
  useAll();
  const sizes: number[] = [];
  const counting = {
    save: (...part: Parameters<SqliteCounters["save"]>) => {
      sizes.push(part[0].places.length);
      return store.save(...part);
    },
  };
  await writeCounters(limiter, activity, counting);
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1_000);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(KEYS);
  expect(await stored()).toEqual({ keys: KEYS, requests: 1, calls: KEYS });
  await writeCounters(limiter, activity, counting);
  expect(sizes).toHaveLength(3);
});

test("what could not be saved is saved the next time, and what was saved is not saved again", async () => {
  useAll();
  let writes = 0;
  const failing = {
    save: async (...part: Parameters<SqliteCounters["save"]>) => {
      writes += 1;
      if (writes === 2) throw new Error("the disk is full");
      await store.save(...part);
    },
  };
  await expect(writeCounters(limiter, activity, failing)).rejects.toThrow("the disk is full");
  expect(await stored()).toEqual({ keys: 1_000, requests: 1, calls: 1_000 });
  await writeCounters(limiter, activity, failing);
  expect(await stored()).toEqual({ keys: KEYS, requests: 1, calls: KEYS });
});

test("limit states are saved without activity, and activity without limit states", async () => {
  limiter.take({ id: idOf(1), limits });
  await writeCounters(limiter, activity, store);
  expect(await stored()).toEqual({ keys: 1, requests: 1, calls: 0 });
  activity.calledDeprecated("getPet", idOf(2), WRITTEN_AT, undefined);
  await writeCounters(limiter, activity, store);
  expect(await stored()).toEqual({ keys: 1, requests: 1, calls: 1 });
});

test("/metrics has the keys, the pets, the orders and the size of the database", async () => {
  states(
    "docs/monitoring.md",
    "`active`, `banned`, `disabled`, `expired` and `revoked`.",
    "When the database last answered with the five gauges above, in Unix seconds;",
  );
  await using service = await startService();
  const client = await service.withKey();
  for (let i = 0; i < 3; i++) await client.post("/v1/pets", { name: "Rex", categoryId: 1 });
  await client.post("/v1/store/orders", { petId: 1 });
  const read = await metricsAt(service.adminUrl);
  expect(read.value("petstore_keys", { state: "active" })).toBe(2);
  expect(read.all("petstore_keys").map(({ labels }) => labels.state)).toEqual([
    "active",
    "banned",
    "disabled",
    "expired",
    "revoked",
  ]);
  const pets = ["available", "pending", "sold"].map((status) => read.value("petstore_pets", { status }));
  expect(pets).toEqual([2, 1, 0]);
  const orders = ["placed", "approved", "delivered", "cancelled"].map((status) =>
    read.value("petstore_orders", { status }),
  );
  expect(orders).toEqual([1, 0, 0, 0]);
  expect(read.value("petstore_store_statistics_timestamp_seconds")).toBe(service.now / 1_000);
  expect(read.value("petstore_database_size_bytes")).toBeGreaterThan(100_000);
});

test("while the database does not answer, its last numbers remain, with the time when they were read", async () => {
  states(
    "docs/monitoring.md",
    "returns their last values, and `time() - petstore_store_statistics_timestamp_seconds` is their age.",
  );
  const path = join(temporaryDirectory(), "petstore.db");
  const stores = await openStores(readConfig({ DATABASE_URL: `sqlite:${path}` }), () => {});
  await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const statistics = statisticsOf(stores, () => 5_000);
  const known = await statistics();
  expect(known).toMatchObject({ pets: { available: 1 }, keys: { active: 0 }, orders: { placed: 0 }, readAt: 5_000 });
  expect(known.databaseSize).toBeGreaterThanOrEqual(statSync(path).size);
  const later = statisticsOf(stores, () => 5_000);
  await stores.close();
  expect(await statistics()).toEqual(known);
  // The size of the file is known without the database.
  const { databaseSize, ...others } = await later();
  expect(databaseSize).toBeGreaterThan(0);
  expect(others).toEqual({ keys: undefined, pets: undefined, orders: undefined, webhooks: undefined, readAt: 0 });
});

test("a store is asked for its numbers once in five seconds, however often they are read, and nobody waits long", async () => {
  states("docs/monitoring.md", "at most every five seconds. If the database does not answer within half a second");
  const stores = await openInMemory();
  const now = performance.now;
  let passed = 0;
  const time = spyOn(performance, "now").mockImplementation(() => now.call(performance) + passed);
  let asked = 0;
  let { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  const size = async () => {
    asked += 1;
    await answered;
    return 1_000 * asked;
  };
  const statistics = statisticsOf({ ...stores, size }, () => 5_000);
  const startedAt = now.call(performance);
  // Two scrapes at once, while the store does not answer.
  const first = await Promise.all([statistics(), statistics()]);
  expect(now.call(performance) - startedAt).toBeWithin(450, 30_000);
  expect([asked, ...first.map(({ databaseSize, readAt }) => [databaseSize, readAt])]).toEqual([
    ...[1, [undefined, 0], [undefined, 0]],
  ]);
  answer();
  await sleep(5);
  const read = async () => {
    const { databaseSize, readAt } = await statistics();
    return [asked, databaseSize, readAt];
  };
  expect(await read()).toEqual([1, 1_000, 5_000]);
  passed += 4_000;
  expect(await read()).toEqual([1, 1_000, 5_000]);
  ({ promise: answered, resolve: answer } = Promise.withResolvers<void>());
  answer();
  passed += 2_000;
  expect(await read()).toEqual([2, 2_000, 5_000]);
  time.mockRestore();
  await stores.close();
});

/** Stores in memory. Their orders expire at once. */
const openInMemory = () =>
  openStores(
    {
      database: { engine: "sqlite", path: IN_MEMORY },
      deployment: "production",
      checksCategories: false,
      orderExpiry: 1,
    },
    () => {},
  );

/** The background task of this name. */
function taskWith(
  name: string,
  {
    usageBuffer = new UsageBuffer("test"),
    ...parts
  }: Pick<Parameters<typeof requestTasks>[0], "stores" | "limits" | "activity" | "clock"> & {
    usageBuffer?: UsageBuffer;
  },
) {
  const tasks = requestTasks({
    ...parts,
    usageBuffer,
    requestBuffer: new RequestBuffer(new MemoryRequestSegments(), "0a1b2c3d"),
    retention: { requests: 1_000, hours: 1 },
    events: { days: 30, most: 1_000 },
  });
  const task = tasks.find((one) => one.name === name);
  if (task === undefined) throw new Error(`there is no task ${name}`);
  return task;
}

test("what a crash may lose is written within a second, what ends does so within a second, and the rest is cleaned up in time", async () => {
  const stores = await openInMemory();
  const clock = () => NOW;
  const log = pino({ enabled: false });
  const parts = { stores, limits: new MemoryLimiter(clock), activity: new ActivityBuffer(), clock };
  const clocks = new ClockComparison({}, clock, log);
  const days = { orders: 30, keys: undefined, audit: undefined };
  const tasks = [
    ...limitTasks(parts.limits, parts.activity, stores.counters),
    ...requestTasks({
      ...parts,
      usageBuffer: new UsageBuffer("test"),
      requestBuffer: new RequestBuffer(new MemoryRequestSegments(), "0a1b2c3d"),
      retention: { requests: 1_000, hours: 1 },
      events: { days: 30, most: 1_000 },
    }),
    clockTask(clocks),
    retentionTask({ stores, days, clocks, clock, log }),
  ];
  const [second, minute, hour] = [1_000, 60_000, 3_600_000];
  const bounds: Record<string, [least: number, most: number]> = {
    write_counters: [100, second],
    write_requests: [100, second],
    expire_orders: [100, second],
    write_usage: [second, 10 * second],
    delete_old_requests: [second, minute],
    compare_clocks: [second, minute],
    sweep_limits: [second, minute],
    end_abandoned_imports: [second, minute],
    delete_idempotency_keys: [second, minute],
    delete_old_usage: [second, minute],
    delete_old_events: [second, minute],
    record_bans: [minute, hour],
    delete_by_retention: [minute, hour],
  };
  expect(tasks.map(({ name }) => name).toSorted()).toEqual(Object.keys(bounds).toSorted());
  for (const { name, every } of tasks) {
    const [least = 0, most = 0] = bounds[name] ?? [];
    const pause = typeof every === "function" ? every() : every;
    expect([name, pause, pause >= least && pause <= most]).toEqual([name, pause, true]);
  }
  await stores.close();
});

test("the last run of a task, at a stop, saves what is not saved, and looks for nothing that is over", async () => {
  const stores = await openInMemory();
  await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: NOW });
  await stores.orders.place(1n, NOW);
  const usage = new UsageBuffer("test");
  usage.record({
    operation: "getPet",
    method: "GET",
    status: 200,
    duration: 1,
    at: NOW,
    decision: undefined,
    keyId: "key_1",
  });
  const clock = () => NOW + 500 * lengthOf.day;
  const log = pino({ enabled: false });
  const limits = new MemoryLimiter(clock);
  limits.take({ id: "key_1", limits: { perMinute: 60, perDay: 1_000 } });
  const parts = { stores, limits, activity: new ActivityBuffer(), clock };
  const looked = [
    spyOn(stores.orders, "expire"),
    spyOn(stores.idempotencyKeys, "forget"),
    spyOn(stores.usage, "prune"),
    spyOn(stores.events, "prune"),
    spyOn(stores.requests, "list"),
    spyOn(stores, "deleteEnded"),
    spyOn(stores.keys, "list"),
  ];
  const segments = new MemoryRequestSegments();
  const requestBuffer = new RequestBuffer(segments, "0a1b2c3d");
  requestBuffer.record(requestOf({ requestId: "last" }));
  const tasks = [
    ...limitTasks(limits, parts.activity, stores.counters),
    ...requestTasks({
      ...{ ...parts, usageBuffer: usage, requestBuffer },
      ...{ retention: { requests: 1_000, hours: 1 }, events: { days: 30, most: 1_000 } },
    }),
    retentionTask({
      ...{ stores, clock, log, days: { orders: 30, keys: 30, audit: 30 } },
      clocks: new ClockComparison({}, clock, log),
    }),
  ];
  for (const { run } of tasks) await run(AbortSignal.abort());
  expect(looked.map(({ mock }) => mock.calls.length)).toEqual(looked.map(() => 0));
  expect([...(await stores.counters.load())].map(([id]) => id)).toEqual(["key_1"]);
  expect(usage.next()).toBeUndefined();
  expect(await segments.list()).toHaveLength(1);
  // What must not be lost at a stop is what a failure names as lost.
  expect(tasks.flatMap(({ name, saves }) => (saves === undefined ? [] : [name])).toSorted()).toEqual([
    ...["write_counters", "write_requests", "write_usage"],
  ]);
  for (const spy of looked) spy.mockRestore();
  await stores.close();
});

test("one run of a task deletes all that is over, also what is much more than it deletes at once", async () => {
  const stores = await openInMemory();
  for (let i = 0; i < 1_001; i++) {
    const key = { keyId: "key_1", key: `pet ${i}`, now: NOW };
    await stores.pets.createIdempotently({ name: "Rex", categoryId: 1n }, key);
  }
  for (let id = 1; id <= 2; id++) await stores.orders.place(BigInt(id), NOW);
  const usage = new UsageBuffer("test");
  const answered = { operation: "getPet", method: "GET", status: 200, duration: 1, at: NOW, decision: undefined };
  for (let i = 0; i < 1_001; i++) usage.record({ ...answered, keyId: `key_${i}` });
  const later = NOW + 500 * lengthOf.day;
  const clock = () => later;
  const parts = { stores, limits: new MemoryLimiter(clock), activity: new ActivityBuffer(), clock, usageBuffer: usage };
  await taskWith("write_usage", parts).run(new AbortController().signal);
  const left = {
    expire_orders: () => stores.orders.expire(later),
    delete_idempotency_keys: () => stores.idempotencyKeys.forget(later),
    delete_old_usage: () => stores.usage.prune(later, 1),
    delete_old_events: () => stores.events.prune({ since: later - lengthOf.day, most: 1_000 }, 1),
  };
  for (const [name, deleteMore] of Object.entries(left)) {
    await taskWith(name, parts).run(new AbortController().signal);
    expect([name, await deleteMore()]).toEqual([name, 0]);
  }
  await stores.close();
});

test("retention counts days in UTC, and a day that has begun is over at its end", async () => {
  states("docs/data.md", "Days begin at midnight UTC: with 30, a row goes between 30 and 31 days after it became old.");
  const stores = await openInMemory();
  const { id } = await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: NOW });
  const { created } = await stores.orders.place(BigInt(id), NOW);
  const noon = startOf("day", NOW) + lengthOf.day / 2;
  await stores.orders.update(BigInt(created.id), "cancelled", noon);
  let now = noon;
  const log = pino({ enabled: false });
  const clocks = new ClockComparison({}, () => now, log);
  const days = { orders: 30, keys: undefined, audit: undefined };
  const { run } = retentionTask({ stores, days, clocks, clock: () => now, log });
  const leftAt = async (time: number) => {
    now = time;
    await run(new AbortController().signal);
    return (await stores.orders.counts()).cancelled;
  };
  const over = startOf("day", noon) + 31 * lengthOf.day;
  expect([await leftAt(noon + 30 * lengthOf.day + 1), await leftAt(over - 1), await leftAt(over)]).toEqual([1, 1, 0]);
  await stores.close();
});

test("what retention deletes is logged by kind, with its number and its time, and what there is none of is not", async () => {
  const stores = await openInMemory();
  for (let i = 0; i < 3; i++) {
    const { id } = await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: NOW });
    const { created } = await stores.orders.place(BigInt(id), NOW);
    if (i > 0) await stores.orders.update(BigInt(created.id), "cancelled", NOW);
  }
  const lines: object[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const clock = () => NOW + 40 * lengthOf.day;
  const clocks = new ClockComparison({}, clock, log);
  const days = { orders: 30, keys: 20, audit: undefined };
  const { run } = retentionTask({ stores, days, clocks, clock, log });
  for (let i = 0; i < 2; i++) await run(new AbortController().signal);
  const before = new Date(startOf("day", NOW) + 10 * lengthOf.day).toISOString();
  expect(lines).toMatchObject([{ level: 30, deleted: 2, before, msg: "deleted old rows of orders" }]);
  expect(lines).toHaveLength(1);
  await stores.close();
});

test("what could not be deleted by retention is deleted by the next run, and not only on the next day", async () => {
  const stores = await openInMemory();
  const { id } = await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: NOW });
  const { created } = await stores.orders.place(BigInt(id), NOW);
  await stores.orders.update(BigInt(created.id), "cancelled", NOW);
  const log = pino({ enabled: false });
  const clock = () => NOW + 40 * lengthOf.day;
  let isAway = true;
  const deleteEnded: typeof stores.deleteEnded = (request) => {
    if (isAway) throw unavailable(new Error("the database is away"));
    return stores.deleteEnded(request);
  };
  const days = { orders: 30, keys: 30, audit: undefined };
  const clocks = new ClockComparison({}, clock, log);
  const { run } = retentionTask({ stores: { deleteEnded }, days, clocks, clock, log });
  const { signal } = new AbortController();
  await expect(run(signal)).rejects.toMatchObject({ code: "service_unavailable" });
  isAway = false;
  await run(signal);
  expect(await stores.orders.counts()).toMatchObject({ cancelled: 0 });
  await stores.close();
});

test("a node whose clock is wrong deletes nothing by retention, and does once it agrees", async () => {
  states("docs/data.md", "A node whose clock is wrong deletes nothing.");
  const stores = await openInMemory();
  const { id } = await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: NOW });
  const { created } = await stores.orders.place(BigInt(id), NOW);
  await stores.orders.update(BigInt(created.id), "cancelled", NOW);
  let server = NOW;
  const log = pino({ enabled: false });
  const clock = () => NOW + 40 * lengthOf.day;
  const clocks = new ClockComparison({ PostgreSQL: async () => server }, clock, log);
  const days = { orders: 30, keys: undefined, audit: undefined };
  const { run } = retentionTask({ stores, days, clocks, clock, log });
  await clocks.compare();
  await expect(run(new AbortController().signal)).rejects.toMatchObject({ code: "service_unavailable" });
  expect(await stores.orders.counts()).toMatchObject({ cancelled: 1 });
  server = clock();
  await clocks.compare();
  await run(new AbortController().signal);
  expect(await stores.orders.counts()).toMatchObject({ cancelled: 0 });
  await stores.close();
});

test.skipIf(!hasRedis)(
  "bans that only Redis has are recorded, of keys that were used lately, however many there are",
  async () => {
    await using server = await startRedis();
    const stores = await openInMemory();
    const now = Date.now();
    let then = now - 3_000;
    const connection = connectionTo(server.url);
    await connection.connect();
    const before = new RedisLimiter(connection, () => then);
    const ids = Array.from({ length: 130 }, (_, i) => `key_${String(i).padStart(16, "0")}`);
    const limits = { perMinute: 1, perDay: 1 };
    for (const [i, id] of ids.entries()) {
      const key = { id, name: "Shop", plan: "free", limits, scopes: ["pets:read"], createdAt: now - 200 + i } as const;
      const secret = newSecret("production");
      const stored = { hash: hashOf(secret), keyId: id, lastFour: secret.slice(-4), createdAt: now };
      await stores.keys.add({ ...key, scopes: [...key.scopes] }, stored, ENTRY);
    }
    const [first = "", unused = "", last = ""] = [ids[0], ids[1], ids.at(-1)];
    for (const id of [first, unused, last]) {
      then = now - 3_000;
      for (let i = 0; i < 2; i++) await before.take({ id, limits });
      then = now - 1_000;
      for (let i = 0; i < 100; i++) await before.take({ id, limits });
    }
    const lastUsed = new Map(ids.filter((id) => id !== unused).map((id) => [id, now - lengthOf.day]));
    await stores.counters.save(changedStates(), { ...noActivity(), lastUsed });
    const activity = new ActivityBuffer();
    const shared = await openLimits({
      ...{ redisUrl: server.url, limiterSocket: undefined, nodes: 1, counters: stores.counters, mapFile: undefined },
      ...{ clock: Date.now, log: pino({ enabled: false }), instrumentations: [] },
    });
    const task = taskWith("record_bans", { stores, limits: shared, activity, clock: () => now });
    await task.run(new AbortController().signal);
    // In Unix ms, as all times of the store.
    const ban = { since: now - 1_000, until: (Math.ceil((now - 1_000) / 1_000) + 300) * 1_000 };
    expect(activity.drain().bans).toEqual(new Map([first, last].map((id) => [id, ban])));
    shared.close();
    connection.disconnect();
    await stores.close();
  },
);

test("one run cancels all orders that have expired, in several batches, and frees their pets", async () => {
  states("docs/settings.md", "How long an order may be placed before it is approved, such as `30m`: then it expires.");
  const stores = await openInMemory();
  for (let i = 0; i < 120; i++) {
    const { id } = await stores.pets.create({ name: "Rex", categoryId: 1n }, { now: NOW });
    await stores.orders.place(BigInt(id), NOW);
  }
  const clock = () => NOW + 1;
  const parts = { stores, limits: new MemoryLimiter(clock), activity: new ActivityBuffer(), clock };
  await taskWith("expire_orders", parts).run(new AbortController().signal);
  expect(await stores.orders.counts()).toMatchObject({ placed: 0, cancelled: 120 });
  expect(await stores.pets.inventory()).toMatchObject({ available: 120, pending: 0 });
  await stores.close();
});

const SEGMENTS = 20;

test("a search finds the same with pauses, and one of the whole history pauses at each segment", async () => {
  const segments = new MemoryRequestSegments();
  for (let i = 0; i < SEGMENTS; i++) await written(segments, [requestOf({ requestId: `r${i}`, at: NOW - i })], 1);
  const retention = { requests: 1_000, hours: 1 };
  const search = (requestId: string) =>
    searchRequests(pacedSegments(segments), { limit: 1, requestId }, retention, NOW);
  expect(await search("r7")).toMatchObject([{ requestId: "r7" }]);
  const startedAt = performance.now();
  expect(await search("absent")).toEqual([]);
  expect(performance.now() - startedAt).toBeGreaterThan(SEGMENTS * 3.6);
});

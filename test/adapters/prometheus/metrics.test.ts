import { expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import fc from "fast-check";
import { operationNames } from "../../../src/adapters/http/operations/index.ts";
import { MetricsAggregator } from "../../../src/adapters/prometheus/aggregator.ts";
import { Metrics } from "../../../src/adapters/prometheus/metrics.ts";
import { DURATION_BUCKETS } from "../../../src/adapters/prometheus/requests.ts";
import type { Answered } from "../../../src/domain/usage/counting.ts";
import { eventually } from "../../support/eventually.ts";
import { eventuallyHolds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";
import { ReadMetrics } from "../../support/metrics.ts";

const DURATION = "petstore_http_request_duration_seconds";

function newMetrics(startedAt = 1_795_250_000): Metrics {
  const figures = { cpu: () => ({ user: 2, system: 1 }), memory: () => 1_000, startedAt };
  return new Metrics({ version: "1.0.0", runtime: "test", deployment: "production" }, figures);
}

const answered = (request: Partial<Answered>): Answered => ({
  keyId: undefined,
  operation: "listPets",
  method: "GET",
  status: 200,
  duration: 1,
  at: 0,
  decision: undefined,
  ...request,
});

const read = async (metrics: Pick<Metrics, "text">) => new ReadMetrics(await metrics.text());

test("unknown methods share a label", async () => {
  states("docs/monitoring.md", "An unusual HTTP `method` is `other`.");
  const metrics = newMetrics();
  for (const method of ["BREW", "get", 'X"} 1\n', "__proto__"])
    metrics.requests.record(answered({ method, status: 405 }));
  expect((await read(metrics)).all("petstore_http_requests_total")).toEqual([
    {
      name: "petstore_http_requests_total",
      labels: { operation: "listPets", method: "other", status: "405" },
      value: 4,
    },
  ]);
});

const request = fc.record({
  operation: fc.constantFrom(...operationNames),
  method: fc.constantFrom("GET", "POST", "BREW"),
  status: fc.constantFrom(200, 201, 404, 429, 503),
  duration: fc.oneof(
    fc.double({ min: 0, max: 10_000, noNaN: true }),
    fc.constantFrom(...DURATION_BUCKETS.map((s) => s * 1_000)),
  ),
});

test("each request is in every bucket whose bound it does not exceed, and in no other", async () => {
  await eventuallyHolds(
    fc.asyncProperty(fc.array(request, { maxLength: 60 }), async (requests) => {
      const metrics = newMetrics();
      for (const one of requests) metrics.requests.record(answered(one));
      const samples = await read(metrics);
      const ofThem = requests.filter(({ operation }) => operation === "getPet");
      const labels = { operation: "getPet" };
      expect(samples.sum(`${DURATION}_count`, labels)).toBe(ofThem.length);
      expect(samples.sum("petstore_http_requests_total", labels)).toBe(ofThem.length);
      const total = ofThem.reduce((sum, { duration }) => sum + duration, 0) / 1_000;
      expect(samples.sum(`${DURATION}_sum`, labels)).toBeCloseTo(total, 6);
      for (const le of DURATION_BUCKETS) {
        const within = ofThem.filter(({ duration }) => duration <= le * 1_000).length;
        expect(samples.sum(`${DURATION}_bucket`, { ...labels, le: String(le) })).toBe(within);
      }
    }),
    100,
  );
});

test("an instrumented call keeps its result or error, synchronous or not", async () => {
  const metrics = newMetrics();
  const instrumented = metrics.stores.of("sqlite", "pets.list");
  expect(instrumented(() => 7)).toBe(7);
  expect(await instrumented(async () => 8)).toBe(8);
  const error = new Error("no");
  const fails = (): number => {
    throw error;
  };
  expect(() => instrumented(fails)).toThrow(error);
  expect(instrumented(async () => fails())).rejects.toBe(error);
  await Promise.resolve();
  const samples = await read(metrics);
  expect(samples.value("petstore_store_duration_seconds_count")).toBe(4);
  expect(samples.value("petstore_store_errors_total")).toBe(2);
});

test("the aggregate of several processes counts everything, also after some have ended", async () => {
  states("docs/monitoring.md", "Counts of a worker that has ended are kept, as of the last scrape.");
  const portion = fc.tuple(fc.nat({ max: 2 }), fc.array(request, { maxLength: 10 }), fc.boolean());
  await eventuallyHolds(
    fc.asyncProperty(fc.array(portion, { maxLength: 12 }), async (portions) => {
      const aggregator = new MetricsAggregator();
      const alone = newMetrics();
      let processes = [newMetrics(), newMetrics(), newMetrics()];
      let next = processes.length;
      let ids = [0, 1, 2];
      for (const [place, requests, ends] of portions) {
        for (const one of requests) {
          processes[place]?.requests.record(answered(one));
          alone.requests.record(answered(one));
        }
        const id = ids[place] ?? 0;
        const snapshot = await processes[place]?.snapshot();
        // As it comes from another process: through JSON.
        if (snapshot !== undefined) aggregator.update(id, JSON.parse(JSON.stringify(snapshot)));
        if (!ends) continue;
        aggregator.end(id);
        processes = processes.with(place, newMetrics());
        ids = ids.with(place, next++);
      }
      const counts = ({ samples }: ReadMetrics) =>
        samples
          .filter(({ name }) => name.startsWith("petstore_http_") && !name.endsWith("_sum"))
          .map(({ name, labels, value }) => `${name} ${JSON.stringify(Object.entries(labels).sort())} ${value}`)
          .sort();
      expect(counts(await read(aggregator))).toEqual(counts(await read(alone)));
    }),
    100,
  );
});

test("gauges of several processes are aggregated as the sum, the mean, the largest or the oldest", async () => {
  const aggregator = new MetricsAggregator();
  for (const id of [1, 2]) {
    const metrics = newMetrics(1_795_250_000 - id);
    metrics.add({
      keyCache: { hits: 3, misses: id },
      fallbacks: { total: id, isActive: id === 2, requests: 0 },
      clocks: { seconds: -id },
      mayEvict: () => id === 1,
      damage: { isDamaged: id === 2 },
      history: id === 2 ? { dropped: 5 } : undefined,
      webhooks: { succeeded: 3, failed: id },
    });
    aggregator.update(id, await metrics.snapshot());
  }
  const samples = await read(aggregator);
  expect(samples.value("petstore_build_info")).toBe(1);
  expect(samples.value("process_resident_memory_bytes")).toBe(2_000);
  expect(samples.value("process_start_time_seconds")).toBe(1_795_249_998);
  expect(samples.value("process_cpu_seconds_total")).toBe(6);
  expect([samples.value("process_cpu_user_seconds_total"), samples.value("process_cpu_system_seconds_total")]).toEqual([
    4, 2,
  ]);
  const webhooks = (result: string) => samples.value("petstore_webhook_deliveries_total", { result });
  expect([webhooks("success"), webhooks("failure")]).toEqual([6, 3]);
  expect(samples.value("petstore_key_cache_total", { result: "miss" })).toBe(3);
  expect(samples.value("petstore_key_cache_total", { result: "hit" })).toBe(6);
  expect(samples.value("petstore_limiter_fallbacks_total")).toBe(3);
  expect(samples.value("petstore_request_history_dropped_total")).toBe(5);
  expect(samples.value("petstore_limiter_fallback_active")).toBe(1);
  expect(samples.value("petstore_redis_may_evict")).toBe(1);
  expect(samples.value("petstore_clock_difference_seconds")).toBe(-1.5);
  aggregator.end(2);
  const rest = await read(aggregator);
  expect(rest.value("petstore_limiter_fallbacks_total")).toBe(3);
  expect(rest.value("petstore_limiter_fallback_active")).toBe(0);
  expect(rest.value("process_resident_memory_bytes")).toBe(1_000);
});

test("what is true of several processes is 1, and what one of them lacks is not counted twice", async () => {
  const aggregator = new MetricsAggregator();
  for (const id of [1, 2, 3]) {
    const metrics = newMetrics();
    metrics.add({
      keyCache: { hits: 0, misses: 0 },
      fallbacks: { total: 1, isActive: true, requests: 4 },
      clocks: { seconds: 2 },
      mayEvict: () => true,
      damage: { isDamaged: true },
    });
    metrics.addBackups({ every: 3_600, latest: () => ({ at: 1_000 * id, bytes: 10 * id }), failures: () => 1 });
    aggregator.update(id, await metrics.snapshot());
  }
  const samples = await read(aggregator);
  const values = [
    ["petstore_build_info", 1],
    ["petstore_limiter_fallback_active", 1],
    ["petstore_redis_may_evict", 1],
    ["petstore_database_damaged", 1],
    ["petstore_clock_difference_seconds", 2],
    ["petstore_backup_interval_seconds", 3_600],
    ["petstore_backup_last_success_timestamp_seconds", 3],
    ["petstore_backup_size_bytes", 30],
    // Counts and memory are sums.
    ["petstore_backup_failures_total", 3],
    ["petstore_limiter_fallbacks_total", 3],
    ["petstore_limiter_fallback_requests_total", 12],
    ["process_resident_memory_bytes", 3_000],
  ] as const;
  expect(values.map(([name]) => [name, samples.value(name)])).toEqual(values.map((one) => [...one]));
});

test("requests count for the plan that their key has, and simulated ones for none", async () => {
  states("CHANGELOG.md", "A request counts for the plan that its key had then.");
  states(
    "docs/monitoring.md",
    "`petstore_plan_requests_total` | counter | `plan`, `class` | Requests by the plan that their key had then, or `none` without a valid key, and by `2xx`, `4xx` (without 429), `429` and `5xx`.",
  );
  const metrics = newMetrics();
  const plans = ["free", "business", "business", undefined] as const;
  for (const plan of plans) metrics.requests.record(answered({ plan, status: plan === undefined ? 401 : 200 }));
  for (const status of [204, 399, 400, 428, 429, 430, 500]) metrics.requests.record(answered({ plan: "pro", status }));
  metrics.requests.record(answered({ plan: "pro", simulation: { delay: 1 } }));
  const counted = (await read(metrics)).all("petstore_plan_requests_total");
  const nonZero = counted.filter(({ value }) => value > 0);
  expect(counted).toHaveLength(5 * 4);
  expect(Object.fromEntries(nonZero.map(({ labels, value }) => [`${labels.plan} ${labels.class}`, value]))).toEqual({
    "free 2xx": 1,
    "business 2xx": 2,
    "none 4xx": 1,
    "pro 2xx": 2,
    "pro 4xx": 3,
    "pro 429": 1,
    "pro 5xx": 1,
  });
});

test("the event loop is observed while the metrics are in use, and a busy process delays it", async () => {
  const metrics = newMetrics();
  const count = async () => (await read(metrics)).value("petstore_event_loop_delay_seconds_count");
  await eventually(async () => (await count()) > 0);
  const busyUntil = performance.now() + 300;
  while (performance.now() < busyUntil);
  await eventually(async () => (await read(metrics)).value("petstore_event_loop_delay_seconds_sum") > 0.19);
  metrics[Symbol.dispose]();
  const last = await count();
  await pause(250);
  expect(await count()).toBe(last);
});

test("each delay of the event loop is observed by itself", async () => {
  states("docs/monitoring.md", "How much later than asked for a timer fires, ten times per second");
  const startedAt = performance.now();
  using metrics = newMetrics();
  const observed = async (what: "count" | "sum") =>
    (await read(metrics)).value(`petstore_event_loop_delay_seconds_${what}`);
  await eventually(async () => (await observed("count")) >= 4);
  const [count, sum] = [await observed("count"), await observed("sum")];
  // All timers together fired so much later than asked for.
  expect(sum).toBeLessThan((performance.now() - startedAt) / 1000 - count * 0.1 + 0.1);
});

/** The words without which the help of a metric would say something else. */
const HELP: Record<string, string> = {
  petstore_event_loop_delay_seconds: "later than asked, 100 ms",
  petstore_build_info: "version, runtime, deployment, always 1",
  petstore_http_requests_total: "requests under /v1",
  petstore_http_request_duration_seconds: "from the arrival, until its response was created",
  petstore_plan_requests_total: "plan that their key had then, or none, class of their status",
  petstore_limiter_decisions_total: "limits, with a valid key, others by client address",
  petstore_simulated_requests_total: "simulated, staging, no other metric",
  petstore_bans_total: "bans of api keys",
  petstore_store_duration_seconds: "duration of calls of the store, including failed",
  petstore_store_errors_total: "failed calls of the store, refused request is not a failure",
  petstore_background_task_runs_total: "background tasks that ended",
  petstore_background_task_failures_total: "background tasks that failed",
  process_cpu_user_seconds_total: "user cpu, in seconds",
  process_cpu_system_seconds_total: "system cpu, in seconds",
  process_cpu_seconds_total: "cpu, in seconds",
  process_resident_memory_bytes: "resident memory, in bytes",
  process_start_time_seconds: "start, in unix seconds",
  process_open_fds: "open file descriptors",
  process_max_fds: "limit of open file descriptors",
  petstore_workers: "workers that listen, 0 without workers",
  petstore_workers_lost_total: "ended unexpectedly, hung and were killed, replaced",
  petstore_keys: "api keys by state",
  petstore_pets: "pets by status",
  petstore_orders: "orders by status",
  petstore_webhooks: "webhook endpoints by state",
  petstore_database_size_bytes: "size of the database, sqlite file and its write-ahead log, database in postgresql",
  petstore_store_statistics_timestamp_seconds: "store last answered, in unix seconds, 0 before",
  petstore_key_cache_total: "cache answered hits, store answered misses",
  petstore_webhook_deliveries_total: "attempts to deliver, succeed with a 2xx",
  petstore_limiter_fallbacks_total: "times that a process started to count limits alone, redis or the parent",
  petstore_limiter_fallback_requests_total: "requests whose limits a process decided alone, redis or the parent",
  petstore_request_history_dropped_total: "not in the request history, could not be written",
  petstore_limiter_fallback_active: "1 while, alone, redis or the parent",
  petstore_redis_may_evict: "1 if redis may evict, not noeviction, lost a key",
  petstore_database_damaged: "1 if damage of the database, loss of acknowledged pets, since the process started",
  petstore_clock_difference_seconds: "ahead of, postgresql or redis, negative if it is behind",
  petstore_backup_interval_seconds: "interval of scheduled backups, 0 without a schedule",
  petstore_backup_last_success_timestamp_seconds: "last good backup was made, in unix seconds, 0 if none is known",
  petstore_backup_size_bytes: "size of the last good backup",
  petstore_backup_failures_total: "backups that could not be written, checked or copied",
};

test("the help of each metric says what it counts, of what, and in which unit", async () => {
  using metrics = newMetrics();
  const statistics = { keys: {}, pets: {}, orders: {}, webhooks: {}, databaseSize: 1, readAt: 1 };
  metrics.add({
    ...{
      keyCache: { hits: 0, misses: 0 },
      fallbacks: { total: 0, isActive: false, requests: 0 },
      clocks: { seconds: 0 },
    },
    ...{ mayEvict: () => false, damage: { isDamaged: false }, history: { dropped: 0 } },
    ...{ webhooks: { succeeded: 0, failed: 0 }, statistics: async () => statistics },
  });
  metrics.addBackups({ every: 0, latest: () => undefined, failures: () => 0 });
  const helps = [...(await metrics.text()).matchAll(/^# HELP (\S+) (.*)$/gm)].map(([, name = "", help = ""]) => ({
    name,
    help,
  }));
  expect(helps.filter(({ name }) => !(name in HELP))).toEqual([]);
  for (const { name, help } of helps) {
    const lacking = (HELP[name] ?? "").split(", ").filter((words) => !help.toLowerCase().includes(words));
    expect([name, help, lacking]).toEqual([name, help, []]);
  }
});

/// <reference path="./prom-client.d.ts" />
import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import MetricRegistry from "prom-client/lib/registry.js";
import { observed } from "../../domain/awaitable.ts";
import { type Instrumentation, isFailure } from "../../domain/instrumentation.ts";
import type { Fallbacks } from "../../domain/limits/limiter.ts";
import type { RequestRecorder } from "../../domain/usage/counting.ts";
import { addCounters, addGauges, addProcessMetrics, type ProcessStats } from "./process.ts";
import { Durations, RequestMetrics } from "./requests.ts";

function taskRecorder(registry: Registry) {
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ["task"], registers: [registry] });
  const runs = counter("petstore_background_task_runs_total", "Runs of background tasks that ended.");
  const failures = counter("petstore_background_task_failures_total", "Runs of background tasks that failed.");
  return {
    record(task: string, hasFailed: boolean): void {
      runs.inc({ task });
      // Also by 0: Prometheus sees no increase in a series that begins with the first failure.
      failures.inc({ task }, hasFailed ? 1 : 0);
    },
  };
}

type BackupSource = {
  /** The interval of the schedule in seconds; 0 without one. */
  every: number;
  /** When the last good backup was made, in Unix ms, and its size; undefined before the first since the start. */
  latest: () => { at: number; bytes: number } | undefined;
  /** How many attempts have failed since the start. */
  failures: () => number;
};

/** The interval of the timer whose delay is observed, in ms. */
const INTERVAL = 100;

/**
 * Observes how much later than asked for a timer fires: so long does a request wait for the event loop. A histogram, which
 * processes can add up and which any number of scrapes can read. `monitorEventLoopDelay` has neither property, and includes
 * the interval of its timer on Node but not on Bun. Returns the function that ends it.
 */
function observeEventLoop(registry: Registry): () => void {
  const durations = new Durations({
    name: "petstore_event_loop_delay_seconds",
    help: "How much later than asked for a timer of 100 ms fires: so long do requests wait for the process.",
    labelNames: [],
    registry,
  });
  const series = durations.add({});
  let startedAt = performance.now();
  const timer = setInterval(() => {
    const now = performance.now();
    series.observe(Math.max(0, now - startedAt - INTERVAL));
    startedAt = now;
  }, INTERVAL).unref();
  return () => clearInterval(timer);
}

function storeCalls(registry: Registry): Instrumentation {
  const labelNames: ["store", "operation"] = ["store", "operation"];
  const durations = new Durations({
    name: "petstore_store_duration_seconds",
    help: "Duration of calls of the store, including failed ones.",
    labelNames,
    registry,
  });
  const failures = new Counter({
    name: "petstore_store_errors_total",
    help: "Failed calls of the store. A refused request is not a failure.",
    labelNames,
    registers: [registry],
  });
  return {
    of(store, operation) {
      const series = durations.add({ store, operation });
      failures.inc({ store, operation }, 0);
      return (call) => {
        const startedAt = performance.now();
        return observed(call, (thrown) => {
          series.observe(performance.now() - startedAt);
          if (thrown !== undefined && isFailure(thrown.error)) failures.inc({ store, operation });
        });
      };
    },
  };
}

/** Numbers that the store knows, the same on each node. Undefined as long as the store has not answered. */
export type StoreStatistics = {
  keys: Record<string, number> | undefined;
  pets: Record<string, number> | undefined;
  orders: Record<string, number> | undefined;
  webhooks: Record<string, number> | undefined;
  /** In bytes. */
  databaseSize: number | undefined;
  /** When the store last answered all of it, in Unix ms; 0 before. */
  readAt: number;
};

/** Adds gauges of the store. `statistics` resolves in time for a scrape, with what is known. */
function addStoreStatistics(registry: Registry, statistics: () => Promise<StoreStatistics>): void {
  const counts = (name: "keys" | "pets" | "orders" | "webhooks", label: string, help: string) =>
    new Gauge({
      name: `petstore_${name}`,
      help,
      labelNames: [label],
      registers: [registry],
      async collect() {
        const counted = (await statistics())[name] ?? {};
        for (const [value, count] of Object.entries(counted)) this.set({ [label]: value }, count);
      },
    });
  counts("keys", "state", "API keys by state.");
  counts("pets", "status", "Pets by status.");
  counts("orders", "status", "Orders by status.");
  counts("webhooks", "state", "Webhook endpoints by state.");
  addGauges(registry, {
    petstore_database_size_bytes: [
      "Size of the database: of the SQLite file and its write-ahead log, or of the database in PostgreSQL.",
      async () => (await statistics()).databaseSize,
    ],
    petstore_store_statistics_timestamp_seconds: [
      "When the store last answered with keys, pets, orders and its size, in Unix seconds; 0 before.",
      async () => (await statistics()).readAt / 1_000,
    ],
  });
}

/** Adds counters of the deliveries of this process. */
function addWebhooks(registry: Registry, counts: { succeeded: number; failed: number }): void {
  new Counter({
    name: "petstore_webhook_deliveries_total",
    help: "Attempts to deliver events to webhook endpoints. They succeed with a 2xx answer.",
    labelNames: ["result"],
    registers: [registry],
    collect() {
      this.reset();
      this.inc({ result: "success" }, counts.succeeded);
      this.inc({ result: "failure" }, counts.failed);
    },
  });
}

/** How many workers of a process listen, and how many ended unexpectedly since the start, or hung and were killed. */
export type WorkerCounts = {
  readonly listening: number;
  readonly lost: number;
  /** Returns the metrics of all of them and of their parent in Prometheus's text format. */
  text?(): Promise<string>;
};

type Build = { version: string; runtime: string; deployment: string };

/** Counters of other parts, read with each scrape. */
type MetricSources = {
  /** Look-ups of API keys that the cache answered, and those that the store answered. */
  keyCache: { hits: number; misses: number };
  fallbacks: Fallbacks;
  damage: { isDamaged: boolean };
  /** How far the clock of this process is ahead of the servers' clocks. */
  clocks: { seconds: number };
  /** Whether Redis may evict counts of limits. */
  mayEvict: () => boolean;
  /** How many requests are not in the request history; left out by a process that has no clients. */
  history?: { dropped: number } | undefined;
  /** Attempts to deliver webhooks; left out by workers. */
  webhooks?: { succeeded: number; failed: number } | undefined;
  /** What the store knows; left out by workers, whose parent reports it. */
  statistics?: (() => Promise<StoreStatistics>) | undefined;
};

/** The metrics of one process in prom-client's format for aggregation. */
export type Snapshot = Awaited<ReturnType<MetricRegistry["getMetricsAsJSON"]>>;

export class Metrics implements Disposable {
  readonly requests: RequestRecorder;
  readonly stores: Instrumentation;
  readonly tasks: ReturnType<typeof taskRecorder>;
  /** What counts the workers that this process has started; by default it has none. */
  workers: WorkerCounts = { listening: 0, lost: 0 };
  readonly #registry = new MetricRegistry();
  readonly [Symbol.dispose] = observeEventLoop(this.#registry);

  constructor(build: Build, stats: ProcessStats) {
    const registry = this.#registry;
    new Gauge({
      name: "petstore_build_info",
      help: "Version, runtime and deployment of the service; always 1.",
      labelNames: ["version", "runtime", "deployment"],
      registers: [registry],
      aggregator: "max",
    }).set(build, 1);
    this.requests = new RequestMetrics(registry);
    this.stores = storeCalls(registry);
    this.tasks = taskRecorder(registry);
    addProcessMetrics(registry, stats);
    addGauges(registry, {
      petstore_workers: ["Workers that listen; 0 without workers.", () => this.workers.listening],
    });
    addCounters(registry, {
      petstore_workers_lost_total: [
        "Workers that ended unexpectedly, or hung and were killed. Each is replaced.",
        () => this.workers.lost,
      ],
    });
  }

  /** Adds metrics for these sources. Call it once. */
  add({ keyCache, fallbacks, damage, clocks, mayEvict, history, webhooks, statistics }: MetricSources): void {
    if (statistics !== undefined) addStoreStatistics(this.#registry, statistics);
    const registry = this.#registry;
    new Counter({
      name: "petstore_key_cache_total",
      help: "Look-ups of API keys: the cache answered hits, the store answered misses.",
      labelNames: ["result"],
      registers: [registry],
      collect() {
        this.reset();
        this.inc({ result: "hit" }, keyCache.hits);
        this.inc({ result: "miss" }, keyCache.misses);
      },
    });
    if (webhooks !== undefined) addWebhooks(registry, webhooks);
    addCounters(registry, {
      petstore_limiter_fallbacks_total: [
        "Times that a process started to count limits alone, because Redis or the parent process failed.",
        () => fallbacks.total,
      ],
      petstore_limiter_fallback_requests_total: [
        "Requests whose limits a process decided alone, because Redis or the parent process failed.",
        () => fallbacks.requests,
      ],
      petstore_request_history_dropped_total: [
        "Requests that are not in the request history, because it could not be written.",
        () => history?.dropped ?? 0,
      ],
    });
    addGauges(registry, {
      petstore_limiter_fallback_active: [
        "1 while a process counts limits alone, because Redis or the parent process fails.",
        () => Number(fallbacks.isActive),
        "max",
      ],
      petstore_redis_may_evict: [
        "1 if Redis may evict counts of limits: its maxmemory-policy is not noeviction, or it has lost a key.",
        () => Number(mayEvict()),
        "max",
      ],
      petstore_database_damaged: [
        "1 if damage of the database, or the loss of acknowledged pets, was found since the process started.",
        () => Number(damage.isDamaged),
        "max",
      ],
      petstore_clock_difference_seconds: [
        "How far the clock is ahead of that of PostgreSQL or Redis, whichever differs more; negative if it is behind.",
        () => clocks.seconds,
        "average",
      ],
    });
  }

  /**
   * Adds the metrics of backups. A good one is written, checked, and copied to the bucket if there is one. Call it once, in the
   * process that makes them.
   */
  addBackups({ every, latest, failures }: BackupSource): void {
    addGauges(this.#registry, {
      petstore_backup_interval_seconds: [
        "The interval of scheduled backups; 0 without a schedule.",
        () => every,
        "max",
      ],
      petstore_backup_last_success_timestamp_seconds: [
        "When the last good backup was made, in Unix seconds; 0 if none is known since the start.",
        () => (latest()?.at ?? 0) / 1000,
        "max",
      ],
      petstore_backup_size_bytes: ["The size of the last good backup.", () => latest()?.bytes ?? 0, "max"],
    });
    addCounters(this.#registry, {
      petstore_backup_failures_total: ["Backups that could not be written, checked or copied to the bucket.", failures],
    });
  }

  text(): Promise<string> {
    return this.#registry.metrics();
  }

  snapshot(): Promise<Snapshot> {
    return this.#registry.getMetricsAsJSON();
  }
}

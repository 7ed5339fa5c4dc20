/// <reference path="./prom-client.d.ts" />
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import MetricRegistry from "prom-client/lib/registry.js";
import type { Instrumentation } from "../../domain/instrumentation.ts";
import type { RequestRecorder } from "../../domain/usage/recorder.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { addBackupMetrics, type BackupSource } from "./backups.ts";
import { EventLoopDelay } from "./event-loop-delay.ts";
import { addProcessMetrics, type ProcessStats } from "./process-metrics.ts";
import { RequestMetrics } from "./requests.ts";
import { StoreCalls } from "./store-calls.ts";
import { addStoreStatistics, type StoreStatistics } from "./store-statistics.ts";
import { addWorkerMetrics, type WorkerCounts } from "./workers.ts";

/** The labels of `petstore_build_info`. */
export type Build = { version: string; runtime: string; deployment: string };

/** Counters of other parts, read with each scrape. */
export type MetricSources = {
  /** Look-ups of API keys that the cache answered, and those that the store answered. */
  keyCache: { hits: number; misses: number };
  /** How often this process started to count limits alone, and whether it does so now. */
  fallbacks: { total: number; isActive: boolean };
  /** Whether damage of the database was found. */
  damage: { isDamaged: boolean };
  /** How far the clock of this process is ahead of the servers' clocks. */
  clocks: { seconds: number };
  /** How many requests are not in the request history; left out by a process that has no clients. */
  history?: { dropped: number } | undefined;
  /** What the store knows; left out by workers, whose parent reports it. */
  statistics?: (() => Promise<StoreStatistics>) | undefined;
};

/** The metrics of one process in prom-client's format for aggregation. */
export type Snapshot = Awaited<ReturnType<MetricRegistry["getMetricsAsJSON"]>>;

/** All metrics of one process. */
export class Metrics implements Disposable {
  readonly requests: RequestRecorder;
  readonly stores: Instrumentation;
  readonly tasks: BackgroundTasks;
  /** What counts the workers that this process has started; by default it has none. */
  workers: WorkerCounts = { listening: 0, lost: 0 };
  readonly #registry = new MetricRegistry();
  readonly #eventLoopDelay: EventLoopDelay;

  constructor(build: Build, stats: ProcessStats) {
    const registry = this.#registry;
    const labelNames: ["version", "runtime", "deployment"] = ["version", "runtime", "deployment"];
    new Gauge({
      name: "petstore_build_info",
      help: "Version, runtime and deployment of the service; always 1.",
      labelNames,
      registers: [registry],
      aggregator: "max",
    }).set(build, 1);
    this.requests = new RequestMetrics(registry);
    this.stores = new StoreCalls(registry);
    this.tasks = new BackgroundTasks(registry);
    this.#eventLoopDelay = new EventLoopDelay(registry);
    addProcessMetrics(registry, stats);
    addWorkerMetrics(registry, () => this.workers);
  }

  /** Adds metrics for these sources. Call it once. */
  add({ keyCache, fallbacks, damage, clocks, history, statistics }: MetricSources): void {
    if (statistics !== undefined) addStoreStatistics(this.#registry, statistics);
    const registers = [this.#registry];
    new Counter({
      name: "petstore_key_cache_total",
      help: "Look-ups of API keys: the cache answered hits, the store answered misses.",
      labelNames: ["result"],
      registers,
      collect() {
        this.reset();
        this.inc({ result: "hit" }, keyCache.hits);
        this.inc({ result: "miss" }, keyCache.misses);
      },
    });
    new Counter({
      name: "petstore_limiter_fallbacks_total",
      help: "Times that a process started to count limits alone, because Redis or the parent process failed.",
      registers,
      collect() {
        this.reset();
        this.inc(fallbacks.total);
      },
    });
    new Counter({
      name: "petstore_request_history_dropped_total",
      help: "Requests that are not in the request history, because it could not be written.",
      registers,
      collect() {
        this.reset();
        this.inc(history?.dropped ?? 0);
      },
    });
    new Gauge({
      name: "petstore_limiter_fallback_active",
      help: "1 while a process counts limits alone, because Redis or the parent process fails.",
      registers,
      aggregator: "max",
      collect() {
        this.set(fallbacks.isActive ? 1 : 0);
      },
    });
    new Gauge({
      name: "petstore_database_damaged",
      help: "1 if damage of the database, or the loss of acknowledged pets, was found since the process started.",
      registers,
      aggregator: "max",
      collect() {
        this.set(damage.isDamaged ? 1 : 0);
      },
    });
    new Gauge({
      name: "petstore_clock_difference_seconds",
      help: "How far the clock is ahead of that of PostgreSQL or Redis, whichever differs more; negative if it is behind.",
      registers,
      aggregator: "average",
      collect() {
        this.set(clocks.seconds);
      },
    });
  }

  /** Adds the metrics of backups. Call it once, in the process that makes them. */
  addBackups(source: BackupSource): void {
    addBackupMetrics(this.#registry, source);
  }

  /** Returns the metrics in Prometheus's text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  snapshot(): Promise<Snapshot> {
    return this.#registry.getMetricsAsJSON();
  }

  [Symbol.dispose](): void {
    this.#eventLoopDelay[Symbol.dispose]();
  }
}

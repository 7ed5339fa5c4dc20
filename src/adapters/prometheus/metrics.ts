import { Counter, Gauge, Registry } from "prom-client";
import type { Instrumentation } from "../../domain/instrumentation.ts";
import type { RequestRecorder } from "../../domain/usage/recorder.ts";
import { BackgroundTasks } from "./background-tasks.ts";
import { addProcessFigures, type ProcessFigures } from "./process-figures.ts";
import { RequestMetrics } from "./requests.ts";
import { StoreCalls } from "./store-calls.ts";

/** What is running: the labels of `petstore_build_info`. */
export type Build = { version: string; runtime: string; deployment: string };

/** Figures that others keep, read whenever the metrics are. */
export type GaugeSources = {
  /** Look-ups of API keys that were answered from memory, and those that were not. */
  keyCache: { hits: number; misses: number };
  /** How often this process began to count limits alone, and whether it does now. */
  fallbacks: { total: number; isActive: boolean };
};

/** The metrics of one process, as prom-client passes them between processes. */
export type Snapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** All metrics of one process. */
export class Metrics {
  readonly requests: RequestRecorder;
  readonly stores: Instrumentation;
  readonly tasks: BackgroundTasks;
  readonly #registry = new Registry();

  constructor(build: Build, figures: ProcessFigures) {
    const registry = this.#registry;
    const labelNames: ["version", "runtime", "deployment"] = ["version", "runtime", "deployment"];
    new Gauge({
      name: "petstore_build_info",
      help: "What is running; always 1.",
      labelNames,
      registers: [registry],
      aggregator: "max",
    }).set(build, 1);
    this.requests = new RequestMetrics(registry);
    this.stores = new StoreCalls(registry);
    this.tasks = new BackgroundTasks(registry);
    addProcessFigures(registry, figures);
  }

  /** Adds the metrics of these figures. Call it once. */
  add({ keyCache, fallbacks }: GaugeSources): void {
    const registers = [this.#registry];
    new Counter({
      name: "petstore_key_cache_total",
      help: "Look-ups of API keys: hits were answered from memory, misses from the store.",
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
      help: "Times that limits began to be counted by this process alone, because Redis did not answer.",
      registers,
      collect() {
        this.reset();
        this.inc(fallbacks.total);
      },
    });
    new Gauge({
      name: "petstore_limiter_fallback_active",
      help: "1 while limits are counted by a process alone, because Redis does not answer.",
      registers,
      aggregator: "max",
      collect() {
        this.set(fallbacks.isActive ? 1 : 0);
      },
    });
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return this.#registry.metrics();
  }

  snapshot(): Promise<Snapshot> {
    return this.#registry.getMetricsAsJSON();
  }
}

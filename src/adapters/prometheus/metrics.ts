import { Counter, Gauge, Registry } from "prom-client";
import type { Instrumentation } from "../../domain/instrumentation.ts";
import type { RequestRecorder } from "../../domain/usage/recorder.ts";
import { addProcessFigures, type ProcessFigures } from "./process-figures.ts";
import { RequestMetrics } from "./requests.ts";
import { StoreCalls } from "./store-calls.ts";

/** What is running: the labels of `petstore_build_info`. */
export type Build = { version: string; runtime: string; deployment: string };

/** Figures that others keep, to be looked at when somebody wants to know. */
export type GaugeSources = {
  /** Look-ups of API keys that were answered from memory, and those that were not. */
  keyCache: { hits: number; misses: number };
  /** How often a node began to count limits alone, and whether it does now. */
  fallbacks: { total: number; isActive: boolean };
};

/** One process's metrics, as prom-client hands them from process to process. */
export type Snapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

/** Everything that one process metrics. It is counted as it happens, and put into words when it is asked for. */
export class Metrics {
  readonly requests: RequestRecorder;
  readonly stores: Instrumentation;
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
    addProcessFigures(registry, figures);
  }

  /** Has these figures told as well; once. */
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

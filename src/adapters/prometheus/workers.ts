import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";

/** How many workers of a process listen, and how many ended unexpectedly since the start, or hung and were killed. */
export type WorkerCounts = { readonly listening: number; readonly lost: number };

/** Adds the metrics of workers. */
export function addWorkerMetrics(registry: Registry, counts: () => WorkerCounts): void {
  const registers = [registry];
  new Gauge({
    name: "petstore_workers",
    help: "Workers that listen; 0 without workers.",
    registers,
    collect() {
      this.set(counts().listening);
    },
  });
  new Counter({
    name: "petstore_workers_lost_total",
    help: "Workers that ended unexpectedly, or hung and were killed. Each is replaced.",
    registers,
    collect() {
      this.reset();
      this.inc(counts().lost);
    },
  });
}

import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";

export type WorkerSource = {
  /** How many workers listen. */
  listening: () => number;
  /** How many workers ended unexpectedly since the start, or hung and were killed. */
  lost: () => number;
};

/** Adds the metrics of workers, in the process that starts them. */
export function addWorkerMetrics(registry: Registry, { listening, lost }: WorkerSource): void {
  const registers = [registry];
  new Gauge({
    name: "petstore_workers",
    help: "Workers that listen.",
    registers,
    collect() {
      this.set(listening());
    },
  });
  new Counter({
    name: "petstore_workers_lost_total",
    help: "Workers that ended unexpectedly, or hung and were killed. Each is replaced.",
    registers,
    collect() {
      this.reset();
      this.inc(lost());
    },
  });
}

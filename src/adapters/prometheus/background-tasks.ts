import type { Registry } from "prom-client";
import Counter from "prom-client/lib/counter.js";

/** Counts the runs of background tasks and their failures. */
export class BackgroundTasks {
  readonly #runs: Counter<"task">;
  readonly #failures: Counter<"task">;

  constructor(registry: Registry) {
    const labelNames: ["task"] = ["task"];
    const registers = [registry];
    this.#runs = new Counter({
      name: "petstore_background_task_runs_total",
      help: "Runs of background tasks that ended.",
      labelNames,
      registers,
    });
    this.#failures = new Counter({
      name: "petstore_background_task_failures_total",
      help: "Runs of background tasks that failed.",
      labelNames,
      registers,
    });
  }

  record(task: string, hasFailed: boolean): void {
    this.#runs.inc({ task });
    // Also by 0: Prometheus sees no increase in a series that begins with the first failure.
    this.#failures.inc({ task }, hasFailed ? 1 : 0);
  }
}

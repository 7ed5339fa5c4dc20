import { Counter, type Registry } from "prom-client";

/** Counts the runs of background tasks, and those that failed. */
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
    // By 0 too: a series that begins with its first failure has no increase at it.
    this.#failures.inc({ task }, hasFailed ? 1 : 0);
  }
}

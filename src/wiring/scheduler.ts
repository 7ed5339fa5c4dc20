import { setTimeout as pause } from "node:timers/promises";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Log } from "./log.ts";

/** Work that is repeated for as long as the service runs. */
export type BackgroundTask = {
  /** The name in logs and metrics. */
  name: string;
  /** The pause after each run, in ms. */
  every: number;
  /** While the service stops the task runs once more, with `signal` aborted: it saves what must be saved, and no more. */
  run(signal: AbortSignal): Awaitable<void>;
};

/** Counts the runs of background tasks. */
export type TaskRecorder = { record(task: string, hasFailed: boolean): void };

/** Runs background tasks side by side, no task twice at a time. Logs the first failure of a task, and its recovery. */
export class Scheduler implements AsyncDisposable {
  readonly #log: Log;
  readonly #recorder: TaskRecorder;
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: Log, recorder: TaskRecorder) {
    this.#log = log;
    this.#recorder = recorder;
  }

  /** Starts with a run of every task: a service that restarts often gets around to all of them. */
  start(tasks: BackgroundTask[]): void {
    this.#loops = tasks.map((task) => this.#repeat(task));
  }

  /** Resolves when the runs under way, and the last run of every task, have ended. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await Promise.all(this.#loops);
  }

  async #repeat(task: BackgroundTask): Promise<void> {
    const { signal } = this.#stopping;
    let failures = 0;
    for (;;) {
      const isLast = signal.aborted;
      failures = await this.#run(task, failures);
      if (isLast) return;
      // A pause after each run, not an interval: after a stall an interval catches up.
      await pause(task.every, undefined, { signal }).catch(() => {});
    }
  }

  /** Runs the task after `failures` in a row. Returns the number of failures in a row since. */
  async #run({ name, run }: BackgroundTask, failures: number): Promise<number> {
    try {
      await run(this.#stopping.signal);
    } catch (error) {
      this.#recorder.record(name, true);
      if (failures === 0) this.#log.warn({ err: error, task: name }, "a background task failed; it is retried");
      return failures + 1;
    }
    this.#recorder.record(name, false);
    if (failures > 0) this.#log.info({ task: name, failures }, "a background task works again");
    return 0;
  }
}

import { setTimeout as pause } from "node:timers/promises";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Log } from "./log.ts";

/** Work that is repeated while the service runs. */
export type BackgroundTask = {
  /** The name in logs and metrics. */
  name: string;
  /** The pause after each run, in ms; a function is asked after the run. */
  every: number | (() => number);
  /** Runs once more when the service stops, with `signal` aborted: save what must be saved, and do nothing else. */
  run(signal: AbortSignal): Awaitable<void>;
};

/** Counts the runs of background tasks. */
export type TaskRecorder = { record(task: string, hasFailed: boolean): void };

/** Runs background tasks concurrently, without overlapping runs of a task. Logs a task's first failure and its recovery. */
export class Scheduler implements AsyncDisposable {
  readonly #log: Log;
  readonly #recorder: TaskRecorder;
  readonly #stopping = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(log: Log, recorder: TaskRecorder) {
    this.#log = log;
    this.#recorder = recorder;
  }

  /** Runs every task at once, then repeats it: so a service that restarts often still runs them all. */
  start(tasks: BackgroundTask[]): void {
    this.#loops = tasks.map((task) => this.#repeat(task));
  }

  /** Resolves when the current run and the last run of every task have ended. */
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
      // A pause after each run instead of an interval, which would catch up after a stall.
      const every = typeof task.every === "number" ? task.every : task.every();
      await pause(every, undefined, { signal }).catch(() => {});
    }
  }

  /** Runs the task after `failures` consecutive failures. Returns the new number of consecutive failures. */
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

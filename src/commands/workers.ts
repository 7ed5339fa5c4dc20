import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { InvalidArgumentError } from "commander";
import type { Log } from "../wiring/log.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";
import { MAX_SILENCE, watch } from "./worker-watch.ts";

const MAX_WORKERS = 256;
/** The delay before an exited worker is replaced, in ms. */
const RESTART_DELAY = 1_000;
/** How long a worker may take to listen before it is killed, in ms. */
const START_TIMEOUT = 30_000;
/**
 * How long a worker may take to stop before it is killed, in ms: longer than its notice and its timeout for requests in flight
 * together, and short enough for this process to end within 10 s.
 */
const STOP_TIMEOUT = 9_000;

/** Parses the number of workers; "auto" is the number of cores. @throws InvalidArgumentError */
export function parseWorkers(text: string): number {
  const count = text === "auto" ? availableParallelism() : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MAX_WORKERS) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MAX_WORKERS}, or auto.`);
}

/** Processes that share an address. One that exits or hangs is replaced. */
export class Workers {
  readonly #command: string[];
  readonly #env: Record<string, string | undefined>;
  readonly #log: Log;
  readonly #metrics: WorkerMetrics;
  readonly #running = new Set<ChildProcess>();
  #haveStarted = false;
  #isStopping = false;

  constructor(command: string[], env: Record<string, string | undefined>, log: Log, metrics: WorkerMetrics) {
    this.#command = command;
    this.#env = env;
    this.#log = log;
    this.#metrics = metrics;
  }

  /** Starts `count` workers. Resolves when all listen. @throws when one cannot start; it has printed the reason */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#startOne()));
    this.#haveStarted = true;
  }

  /** Stops all workers gracefully. Resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running].map((worker) => this.#end(worker)));
  }

  /** Starts a worker. Resolves when it listens. @throws when it ends before, unless all are being stopped */
  #startOne(): Promise<void> {
    const [program = "", ...args] = this.#command;
    // Over the IPC channel a worker reports that it listens, and detects that this process has ended.
    const worker = spawn(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], env: this.#env });
    this.#running.add(worker);
    return new Promise((resolve, reject) => {
      let isListening = false;
      const kill = () => this.#kill(worker, `a worker has not listened after ${START_TIMEOUT / 1_000} s and is killed`);
      const timeout = setTimeout(kill, START_TIMEOUT);
      // The first message reports that it listens; later ones are metrics and signs of life.
      worker.once("message", () => {
        isListening = true;
        clearTimeout(timeout);
        if (worker.pid !== undefined) this.#metrics.add(worker, worker.pid);
        watch(worker, () => this.#kill(worker, `a worker has not answered for ${MAX_SILENCE} s and is killed`));
        resolve();
      });
      const ended = (how: object) => {
        clearTimeout(timeout);
        this.#running.delete(worker);
        if (this.#isStopping) return;
        if (isListening || this.#haveStarted) this.#replace({ worker: worker.pid, ...how });
        else reject(new Error("a worker ended before it listened; the reason is printed above."));
      };
      worker.once("exit", (code, signal) => ended({ code, signal }));
      worker.on("error", (err) => worker.pid === undefined && ended({ err }));
    });
  }

  #replace(ended: object): void {
    this.#log.error(ended, "a worker ended unexpectedly and is replaced");
    this.#metrics.lost += 1;
    const start = () => this.#startOne().catch(() => {});
    setTimeout(() => !this.#isStopping && start(), RESTART_DELAY);
  }

  async #end(worker: ChildProcess): Promise<void> {
    const ended = once(worker, "exit");
    const kill = () => this.#kill(worker, `a worker has not stopped for ${STOP_TIMEOUT / 1_000} s and is killed`);
    const timeout = setTimeout(kill, STOP_TIMEOUT);
    worker.kill("SIGTERM");
    await ended;
    clearTimeout(timeout);
  }

  #kill(worker: ChildProcess, reason: string): void {
    this.#log.error({ worker: worker.pid }, reason);
    worker.kill("SIGKILL");
  }
}

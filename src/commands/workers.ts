import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { InvalidArgumentError } from "commander";
import type { Config } from "../wiring/config.ts";
import type { Log } from "../wiring/log.ts";
import type { WorkerMetrics } from "./worker-metrics.ts";

const MOST_WORKERS = 256;
/** The pause before a worker that ended by itself is replaced, in ms. */
const RESTART_DELAY = 1_000;
/** How long a worker may take to stop before it is killed, in ms: longer than it takes with requests in flight. */
const STOP_TIMEOUT = 12_000;

/** The number of workers: a number, or "auto" for as many as this machine has cores. */
export function parseWorkers(text: string): number {
  const count = text === "auto" ? availableParallelism() : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_WORKERS) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_WORKERS}, or auto.`);
}

/** Why several processes cannot serve with this configuration; undefined when they can. */
export function obstacleToWorkers({
  database,
  redisUrl,
  port,
}: Pick<Config, "database" | "redisUrl" | "port">): string | undefined {
  if (database.engine === "sqlite") {
    return "SQLite is served by one process: all writes go through one file, and limits are counted in the process. For several workers set DATABASE_URL to a PostgreSQL server and REDIS_URL to a Redis.";
  }
  if (redisUrl === undefined) return "Several workers need REDIS_URL: without it each would count limits by itself.";
  if (port === 0) return "Several workers need a PORT: with 0 each would listen on another one.";
  return undefined;
}

/** Processes that serve at one address. One that ends by itself is replaced. */
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

  /** Starts `count` workers. Resolves once all of them listen. @throws when one cannot; it has printed why */
  async start(count: number): Promise<void> {
    await Promise.all(Array.from({ length: count }, () => this.#startOne()));
    this.#haveStarted = true;
  }

  /** Stops all of them, each as it would stop alone, and resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all([...this.#running].map(end));
  }

  /** Resolves once it listens. @throws when it ends before, unless all are being stopped */
  #startOne(): Promise<void> {
    const [program = "", ...args] = this.#command;
    // Over the channel a worker reports that it listens, and notices when this process has ended.
    const worker = spawn(program, args, { stdio: ["ignore", "inherit", "inherit", "ipc"], env: this.#env });
    this.#running.add(worker);
    return new Promise((resolve, reject) => {
      let isListening = false;
      // Its first message; later ones are its metrics.
      worker.once("message", () => {
        isListening = true;
        if (worker.pid !== undefined) this.#metrics.add(worker, worker.pid);
        resolve();
      });
      const ended = (how: object) => {
        this.#running.delete(worker);
        if (this.#isStopping) return;
        if (isListening || this.#haveStarted) this.#replace({ worker: worker.pid, ...how });
        else reject(new Error("a worker ended before it could serve; its reason is printed above."));
      };
      worker.once("exit", (code, signal) => ended({ code, signal }));
      worker.on("error", (err) => worker.pid === undefined && ended({ err }));
    });
  }

  #replace(ended: object): void {
    this.#log.error(ended, "a worker ended by itself; another takes its place");
    const start = () => this.#startOne().catch(() => {});
    setTimeout(() => !this.#isStopping && start(), RESTART_DELAY);
  }
}

async function end(worker: ChildProcess): Promise<void> {
  const ended = once(worker, "exit");
  const timeout = setTimeout(() => worker.kill("SIGKILL"), STOP_TIMEOUT);
  worker.kill("SIGTERM");
  await ended;
  clearTimeout(timeout);
}

import { type ChildProcess, spawn } from "node:child_process";
import { availableParallelism } from "node:os";
import { InvalidArgumentError } from "commander";
import type { Config } from "../config.ts";
import type { Log } from "../log.ts";

const MOST_WORKERS = 256;
/** How long it waits before it replaces a worker that ended by itself, in ms. */
const RESTART_AFTER = 1_000;

/** How many workers are asked for: a number, or "auto" for as many as this machine has cores. */
export function parseWorkers(text: string): number {
  const count = text === "auto" ? availableParallelism() : Number(text);
  if (Number.isInteger(count) && count >= 1 && count <= MOST_WORKERS) return count;
  throw new InvalidArgumentError(`It must be a whole number from 1 to ${MOST_WORKERS}, or auto.`);
}

/** Why several processes cannot serve with this configuration, if they cannot. */
export function obstacleToWorkers({ database, redisUrl, port }: Config): string | undefined {
  if (database.engine === "sqlite") {
    return "One process is right for SQLite: its writes go through one file anyway, reading is done faster than it is asked for, and limits are counted in the process. For more, set DATABASE_URL to a PostgreSQL server and REDIS_URL to a Redis.";
  }
  if (redisUrl === undefined) return "Several workers need REDIS_URL: without it each would count limits for itself.";
  if (port === 0) return "Several workers need a PORT: with 0 each would take another one.";
  return undefined;
}

/** Processes that serve at one address. One that ends by itself is replaced. */
export class Workers {
  readonly #command: string[];
  readonly #env: Record<string, string | undefined>;
  readonly #log: Log;
  readonly #running = new Set<ChildProcess>();
  #isStopping = false;

  constructor(command: string[], env: Record<string, string | undefined>, log: Log) {
    this.#command = command;
    this.#env = env;
    this.#log = log;
  }

  start(count: number): void {
    for (let i = 0; i < count; i++) this.#startOne();
  }

  /** Stops all of them, each as it would stop alone, and resolves when the last has ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    await Promise.all(
      [...this.#running].map((worker) => {
        const ended = new Promise((resolve) => worker.once("exit", resolve));
        worker.kill("SIGTERM");
        return ended;
      }),
    );
  }

  #startOne(): void {
    const [program = "", ...args] = this.#command;
    const worker = spawn(program, args, { stdio: "inherit", env: this.#env });
    this.#running.add(worker);
    worker.once("exit", (code, signal) => {
      this.#running.delete(worker);
      if (this.#isStopping) return;
      this.#log.error({ worker: worker.pid, code, signal }, "a worker ended by itself; another takes its place");
      setTimeout(() => !this.#isStopping && this.#startOne(), RESTART_AFTER);
    });
  }
}

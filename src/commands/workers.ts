import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MetricsAggregator } from "../adapters/prometheus/aggregator.ts";
import type { Metrics, Snapshot, WorkerCounts } from "../adapters/prometheus/metrics.ts";
import type { Log } from "../wiring/log.ts";
import { parser } from "./options.ts";

/** How long a worker may take to send its metrics, in ms. After that its previous snapshot is used. */
const RESPONSE_TIMEOUT = 1_000;

/** What a worker answers with its snapshot. An answer to an earlier question will do: what it counts only grows. */
const METRICS = "metrics?";

export class WorkerMetrics implements WorkerCounts {
  lost = 0;
  readonly #own: Metrics;
  readonly #aggregator = new MetricsAggregator();
  readonly #workers = new Map<ChildProcess, number>();

  constructor(own: Metrics) {
    this.#own = own;
    own.workers = this;
  }

  get listening(): number {
    return this.#workers.size;
  }

  /** Adds a worker. When it has ended, its last snapshot still counts. */
  add(worker: ChildProcess, pid: number): void {
    this.#workers.set(worker, pid);
    worker.once("exit", () => {
      this.#workers.delete(worker);
      this.#aggregator.end(pid);
    });
  }

  async text(): Promise<string> {
    const updates = [...this.#workers].map(async ([worker, pid]) => {
      const snapshot = await this.#request(worker);
      if (snapshot !== undefined && this.#workers.has(worker)) this.#aggregator.update(pid, snapshot);
    });
    await Promise.all(updates);
    this.#aggregator.update(0, await this.#own.snapshot());
    return this.#aggregator.text();
  }

  /** Resolves with undefined when the worker ends or exceeds the timeout. */
  #request(worker: ChildProcess): Promise<Snapshot | undefined> {
    return new Promise((resolve) => {
      const done = (snapshot?: Snapshot) => {
        clearTimeout(timeout);
        worker.off("message", received).off("exit", giveUp);
        resolve(snapshot);
      };
      const received = (message: unknown) => {
        if (isSnapshot(message)) done(message);
      };
      const giveUp = () => done();
      const timeout = setTimeout(giveUp, RESPONSE_TIMEOUT);
      worker.on("message", received).once("exit", giveUp);
      // Sending fails when the worker has ended and its "exit" event is still to come.
      worker.send(METRICS, (error) => error && done());
    });
  }
}

/** Sends a message to the parent, which may have ended before this process knows it: then it is lost, and "disconnect" follows. */
export function tellParent(message: unknown): void {
  // Without a function for the error, Node ends this process.
  if (process.connected) process.send?.(message, undefined, undefined, () => {});
}

export function answerMetricsRequests(metrics: Metrics): void {
  process.on("message", async (message: unknown) => {
    if (message === METRICS) tellParent(await metrics.snapshot());
  });
}

function isSnapshot(message: unknown): message is Snapshot {
  return Array.isArray(message);
}

/** How often a worker is asked for a sign of life, in ms, and how many times in a row it may leave that without one. */
const INTERVAL = 1_000;
const MAX_UNANSWERED = 10;

/** After how many seconds without an answer a worker hangs. */
const MAX_SILENCE = (INTERVAL * MAX_UNANSWERED) / 1_000;

const QUESTION = "are you there?";
const ANSWER = "here";

/**
 * Calls `onHang`, once, when a worker that listens has not answered for MAX_SILENCE. The time is counted in ticks of this
 * process's own timer, each of which begins after the last one: a time in which this process was stopped too, or the machine
 * slept, counts as one tick.
 */
function watch(worker: ChildProcess, onHang: () => void): void {
  let unanswered = 0;
  let timer: NodeJS.Timeout;
  const tick = () => {
    if (unanswered === MAX_UNANSWERED) return onHang();
    unanswered += 1;
    // Sending fails when the worker has ended and its "exit" event is still to come.
    if (worker.connected) worker.send(QUESTION, () => {});
    timer = setTimeout(tick, INTERVAL);
  };
  worker.on("message", () => {
    unanswered = 0;
  });
  worker.once("exit", () => clearTimeout(timer));
  tick();
}

/** Answers the parent's questions, from the event loop: a worker that answers accepts connections too. */
export function answerQuestions(): void {
  process.on("message", (message: unknown) => {
    if (message === QUESTION) tellParent(ANSWER);
  });
}

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

/** Parses the number of workers; "auto" is the number of cores. */
export const parseWorkers = parser((text) => {
  const count = text === "auto" ? availableParallelism() : Number(text);
  return Number.isInteger(count) && count >= 1 && count <= MAX_WORKERS ? count : undefined;
}, `must be a whole number from 1 to ${MAX_WORKERS}, or auto`);

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

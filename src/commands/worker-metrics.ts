import type { ChildProcess } from "node:child_process";
import type { Metrics, Snapshot } from "../adapters/prometheus/metrics.ts";
import { Together } from "../adapters/prometheus/together.ts";

/** How long a worker may take to tell its metrics, in ms; one that is late is taken at its last word. */
const PATIENCE = 1_000;

/** What a worker is asked, and what it answers, over the channel to its parent. */
type Question = { metrics: number };
type Answer = Question & { snapshot: Snapshot };

/** The metrics of all workers, and of the process that started them, as one. */
export class WorkerMetrics {
  readonly #own: Metrics;
  readonly #together = new Together();
  readonly #workers = new Map<ChildProcess, number>();
  #asked = 0;

  constructor(own: Metrics) {
    this.#own = own;
  }

  /** Counts a worker in from now on, and once it has ended with what it told last. */
  add(worker: ChildProcess, pid: number): void {
    this.#workers.set(worker, pid);
    worker.once("exit", () => {
      this.#workers.delete(worker);
      this.#together.end(pid);
    });
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    const asked = [...this.#workers].map(async ([worker, pid]) => {
      const snapshot = await this.#ask(worker);
      if (snapshot !== undefined && this.#workers.has(worker)) this.#together.take(pid, snapshot);
    });
    await Promise.all(asked);
    this.#together.take(0, await this.#own.snapshot());
    return this.#together.text();
  }

  #ask(worker: ChildProcess): Promise<Snapshot | undefined> {
    this.#asked += 1;
    const question: Question = { metrics: this.#asked };
    return new Promise((resolve) => {
      const done = (snapshot?: Snapshot) => {
        clearTimeout(late);
        worker.off("message", answered).off("exit", gone);
        resolve(snapshot);
      };
      const answered = (message: unknown) => {
        if (isAnswer(message) && message.metrics === question.metrics) done(message.snapshot);
      };
      const gone = () => done();
      const late = setTimeout(gone, PATIENCE);
      worker.on("message", answered).once("exit", gone);
      // One that has just ended cannot be asked; that it ended is told in a moment.
      worker.send(question, (error) => error && done());
    });
  }
}

/** Has this process, a worker, tell its metrics whenever its parent asks. */
export function reportMetrics(metrics: Metrics): void {
  process.on("message", async (message: unknown) => {
    if (!isQuestion(message)) return;
    const answer: Answer = { metrics: message.metrics, snapshot: await metrics.snapshot() };
    // Its parent may be gone by now.
    if (process.connected) process.send?.(answer);
  });
}

function isQuestion(message: unknown): message is Question {
  return typeof message === "object" && message !== null && "metrics" in message;
}

function isAnswer(message: unknown): message is Answer {
  return isQuestion(message) && "snapshot" in message;
}

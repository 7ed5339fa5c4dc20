import type { ChildProcess } from "node:child_process";
import { MetricsAggregator } from "../adapters/prometheus/aggregator.ts";
import type { Metrics, Snapshot } from "../adapters/prometheus/metrics.ts";

/** How long a worker may take to send its metrics, in ms; of one that is late the previous snapshot counts. */
const RESPONSE_TIMEOUT = 1_000;

/** The messages between a worker and its parent: `metricsRequest` numbers the requests. */
type MetricsRequest = { metricsRequest: number };
type MetricsResponse = MetricsRequest & { snapshot: Snapshot };

/** The metrics of all workers, and of the process that started them, as one. */
export class WorkerMetrics {
  readonly #own: Metrics;
  readonly #aggregator = new MetricsAggregator();
  readonly #workers = new Map<ChildProcess, number>();
  #requests = 0;

  constructor(own: Metrics) {
    this.#own = own;
  }

  /** Includes a worker from now on; once it has ended, with its last snapshot. */
  add(worker: ChildProcess, pid: number): void {
    this.#workers.set(worker, pid);
    worker.once("exit", () => {
      this.#workers.delete(worker);
      this.#aggregator.end(pid);
    });
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    const updates = [...this.#workers].map(async ([worker, pid]) => {
      const snapshot = await this.#request(worker);
      if (snapshot !== undefined && this.#workers.has(worker)) this.#aggregator.update(pid, snapshot);
    });
    await Promise.all(updates);
    this.#aggregator.update(0, await this.#own.snapshot());
    return this.#aggregator.text();
  }

  /** Resolves with undefined when the worker is late, or ends. */
  #request(worker: ChildProcess): Promise<Snapshot | undefined> {
    this.#requests += 1;
    const request: MetricsRequest = { metricsRequest: this.#requests };
    return new Promise((resolve) => {
      const done = (snapshot?: Snapshot) => {
        clearTimeout(timeout);
        worker.off("message", received).off("exit", giveUp);
        resolve(snapshot);
      };
      const received = (message: unknown) => {
        if (isResponse(message) && message.metricsRequest === request.metricsRequest) done(message.snapshot);
      };
      const giveUp = () => done();
      const timeout = setTimeout(giveUp, RESPONSE_TIMEOUT);
      worker.on("message", received).once("exit", giveUp);
      // Sending fails when the worker has just ended, a moment before its "exit".
      worker.send(request, (error) => error && done());
    });
  }
}

/** Has this process, a worker, send its metrics whenever its parent requests them. */
export function answerMetricsRequests(metrics: Metrics): void {
  process.on("message", async (message: unknown) => {
    if (!isRequest(message)) return;
    const response: MetricsResponse = { ...message, snapshot: await metrics.snapshot() };
    // The parent may have ended by now.
    if (process.connected) process.send?.(response);
  });
}

function isRequest(message: unknown): message is MetricsRequest {
  return typeof message === "object" && message !== null && "metricsRequest" in message;
}

function isResponse(message: unknown): message is MetricsResponse {
  return isRequest(message) && "snapshot" in message;
}

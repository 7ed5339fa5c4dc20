import type { ChildProcess } from "node:child_process";
import { MetricsAggregator } from "../adapters/prometheus/aggregator.ts";
import type { Metrics, Snapshot, WorkerCounts } from "../adapters/prometheus/metrics.ts";

/** How long a worker may take to send its metrics, in ms. After that its previous snapshot is used. */
const RESPONSE_TIMEOUT = 1_000;

/** Messages between a worker and its parent. `metricsRequest` is the number of the request. */
type MetricsRequest = { metricsRequest: number };
type MetricsResponse = MetricsRequest & { snapshot: Snapshot };

/** Aggregates the metrics of all workers and of their parent. */
export class WorkerMetrics implements WorkerCounts {
  lost = 0;
  readonly #own: Metrics;
  readonly #aggregator = new MetricsAggregator();
  readonly #workers = new Map<ChildProcess, number>();
  #requests = 0;

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

  /** Returns the metrics in Prometheus's text format. */
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
      // Sending fails when the worker has ended and its "exit" event is still to come.
      worker.send(request, (error) => error && done());
    });
  }
}

/** Answers the parent's requests for the metrics of this worker. */
export function answerMetricsRequests(metrics: Metrics): void {
  process.on("message", async (message: unknown) => {
    if (!isRequest(message)) return;
    const response: MetricsResponse = { ...message, snapshot: await metrics.snapshot() };
    // The parent may have ended meanwhile.
    if (process.connected) process.send?.(response);
  });
}

function isRequest(message: unknown): message is MetricsRequest {
  return typeof message === "object" && message !== null && "metricsRequest" in message;
}

function isResponse(message: unknown): message is MetricsResponse {
  return isRequest(message) && "snapshot" in message;
}

import AggregatorRegistry from "prom-client/lib/cluster.js";
import type { Snapshot } from "./metrics.ts";

/** The types of metrics that only increase. */
const CUMULATIVE = ["counter", "histogram"];

/**
 * Aggregates the metrics of several processes, including the counters of processes that have ended: Prometheus treats a
 * decrease as a restart, and would count the remaining sum again.
 */
export class MetricsAggregator {
  readonly #running = new Map<number, Snapshot>();
  #ended: Promise<Snapshot> = Promise.resolve([]);

  update(id: number, snapshot: Snapshot): void {
    this.#running.set(id, snapshot);
  }

  /** Keeps the cumulative metrics of a process that has ended. */
  end(id: number): void {
    const last = this.#running.get(id);
    if (last === undefined) return;
    this.#running.delete(id);
    const cumulative = last.filter(({ type }) => CUMULATIVE.includes(String(type)));
    this.#ended = this.#ended.then((ended) => AggregatorRegistry.aggregate([ended, cumulative]).getMetricsAsJSON());
  }

  async text(): Promise<string> {
    const ended = await this.#ended;
    return AggregatorRegistry.aggregate([...this.#running.values(), ended]).metrics();
  }
}

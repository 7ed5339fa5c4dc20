import { AggregatorRegistry } from "prom-client";
import type { Snapshot } from "./metrics.ts";

/**
 * The metrics of several processes as if they were one: counts are added up. What a process had counted when it ended
 * stays counted, for a sum that falls looks like a restart, and the rest of it would be counted again.
 */
export class Together {
  readonly #running = new Map<number, Snapshot>();
  #ended: Promise<Snapshot> = Promise.resolve([]);

  /** Takes what this process tells now, in place of what it told before. */
  take(id: number, snapshot: Snapshot): void {
    this.#running.set(id, snapshot);
  }

  /** Keeps of an ended process what counts on. */
  end(id: number): void {
    const last = this.#running.get(id);
    if (last === undefined) return;
    this.#running.delete(id);
    const counted = last.filter(({ type }) => COUNTING.includes(String(type)));
    this.#ended = this.#ended.then((ended) => AggregatorRegistry.aggregate([ended, counted]).getMetricsAsJSON());
  }

  /** In Prometheus's text format. */
  async text(): Promise<string> {
    const ended = await this.#ended;
    return AggregatorRegistry.aggregate([...this.#running.values(), ended]).metrics();
  }
}

/** The types of what only ever grows. */
const COUNTING = ["counter", "histogram"];

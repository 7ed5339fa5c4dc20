import { AggregatorRegistry } from "prom-client";
import type { Snapshot } from "./measures.ts";

/**
 * The measures of several processes as if they were one: counts are added up. What a process had counted when it ended
 * stays counted, for a sum that falls looks like a restart, and the rest of it would be counted again.
 */
export class Together {
  readonly #running = new Map<number, Snapshot>();
  #ended: Snapshot = [];

  /** Takes what this process tells now, in place of what it told before. */
  take(id: number, snapshot: Snapshot): void {
    this.#running.set(id, snapshot);
  }

  /** Keeps of an ended process what counts on. */
  async end(id: number): Promise<void> {
    const last = this.#running.get(id);
    if (last === undefined) return;
    this.#running.delete(id);
    this.#ended = await added([this.#ended, last.filter(({ type }) => COUNTING.includes(String(type)))]);
  }

  /** In Prometheus's text format. */
  text(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#running.values(), this.#ended]).metrics();
  }
}

/** The types of what only ever grows. */
const COUNTING = ["counter", "histogram"];

function added(snapshots: Snapshot[]): Promise<Snapshot> {
  return AggregatorRegistry.aggregate(snapshots).getMetricsAsJSON();
}

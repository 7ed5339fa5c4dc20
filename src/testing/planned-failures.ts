import { readSimulation } from "../domain/simulation.ts";
import type { PlannedFailures, SimulationText } from "./petstore.ts";

/** Simulations for the next requests, in order. */
export class FailureQueue implements PlannedFailures {
  #planned: { simulation: string; times: number }[] = [];

  next(simulation: SimulationText, { times = 1 }: { times?: number | undefined } = {}): void {
    const read = readSimulation(String(simulation));
    if ("problem" in read) throw new TypeError(`fail.next: the simulation ${read.problem}.`);
    if (!Number.isSafeInteger(times) || times < 1) throw new TypeError("fail.next: times must be a positive integer.");
    this.#planned.push({ simulation, times });
  }

  get pending(): number {
    return this.#planned.reduce((sum, { times }) => sum + times, 0);
  }

  clear(): void {
    this.#planned = [];
  }

  /** Removes the simulation of one request, and returns it; undefined if none is planned. */
  take(): string | undefined {
    const [first] = this.#planned;
    if (first === undefined) return undefined;
    first.times -= 1;
    if (first.times === 0) this.#planned.shift();
    return first.simulation;
  }
}

import { type Awaitable, after } from "../awaitable.ts";
import { applies } from "../simulation/schedule.ts";
import { parseSimulation, type Simulation } from "../simulation/simulation.ts";
import type { RequestKey } from "./key.ts";
import type { KeyStore } from "./store.ts";

/** Returns what a request of a key without the header Petstore-Simulate simulates; undefined for nothing. */
export type SimulationOf = (key: Pick<RequestKey, "id" | "simulation">) => Awaitable<Simulation | undefined>;

/** Counts each request of a key with a simulation, and returns the simulation if its schedule selects the request. */
export function rehearsing(keys: Pick<KeyStore, "countSimulated">): SimulationOf {
  return ({ id, simulation }) => {
    if (simulation === undefined) return undefined;
    const { answer, schedule } = simulation;
    return after(keys.countSimulated(id, simulation), (position) =>
      position !== undefined && applies(schedule, position) ? parseSimulation(answer) : undefined,
    );
  };
}

import { lastPosition } from "../../domain/simulation/schedule.ts";
import type { SimulationScript } from "../../domain/simulation/script.ts";
import { storedSimulation } from "./key-rows.ts";
import type { Transaction } from "./sql.ts";

/** A request of a key that has this simulation. */
export type SimulatedRequest = { keyId: string; simulation: SimulationScript };

/** One statement, which locks the row: no two requests have one position. The end of a simulation is a change of its key. */
const COUNT = `UPDATE petstore.keys SET simulation_requests = simulation_requests + :count,
    version = CASE WHEN simulation_requests + :count >= :last THEN version + 1 ELSE version END,
    simulation = CASE WHEN simulation_requests + :count >= :last THEN NULL ELSE simulation END
  WHERE id = :keyId AND simulation = :simulation RETURNING simulation_requests AS counted`;

/** Counts requests. Returns their positions in order; undefined for those after the end of their simulation. */
export function* countRequests(requests: readonly SimulatedRequest[]): Transaction<(number | undefined)[]> {
  const positions = new Map<SimulatedRequest, number | undefined>();
  const groups = Map.groupBy(requests, ({ keyId, simulation }) => `${keyId} ${storedSimulation(simulation)}`);
  // In the order of ids, so that no two transactions wait for each other.
  for (const name of [...groups.keys()].sort()) {
    const group = groups.get(name) ?? [];
    const [request] = group;
    if (request === undefined) continue;
    const { keyId, simulation } = request;
    const last = lastPosition(simulation.schedule);
    const values = { keyId, simulation: storedSimulation(simulation), count: group.length, last: last ?? null };
    const [row] = yield { text: COUNT, values };
    if (row === undefined) continue;
    for (const [i, one] of group.entries()) {
      const position = Number(row.counted) - group.length + i + 1;
      if (position <= (last ?? Infinity)) positions.set(one, position);
    }
  }
  return requests.map((request) => positions.get(request));
}

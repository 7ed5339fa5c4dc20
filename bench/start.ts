import { join } from "node:path";
import type { Measurement } from "./benchmarks.ts";
import { createCatalogue } from "./catalogue.ts";
import type { Effort } from "./effort.ts";
import { logProgress } from "./progress.ts";
import { LIST } from "./requests.ts";
import { packageOf, startOn } from "./servers.ts";
import type { Workspace } from "./workspace.ts";

const SIZE = 1_000_000;

/** Returns several durations, in ms, from `petstore serve` of the npm package to the first list, on the database of a clean stop. */
export async function measureStart(workspace: Workspace, { rounds }: Effort): Promise<Measurement> {
  logProgress(`${rounds} starts`);
  const catalogue = await createCatalogue(workspace.path("petstore.db"), SIZE);
  const command = ["node", join(await packageOf(workspace), "bin/petstore.js"), "serve"];
  const values: number[] = [];
  while (values.length < rounds) {
    const before = performance.now();
    await using server = await startOn(workspace, catalogue, command);
    const response = await fetch(`${server.url}${LIST}`, { headers: { Authorization: `Bearer ${catalogue.secret}` } });
    values.push(performance.now() - before);
    if (!response.ok) throw new Error(`the first response has status ${response.status}`);
  }
  return { values };
}

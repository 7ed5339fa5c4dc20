import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Answers, Queries } from "./contenders/bare-pg.ts";
import { watchCores } from "./cores.ts";
import type { Run } from "./load.ts";
import { BUN } from "./servers.ts";
import { pathOf } from "./tools.ts";
import type { Workspace } from "./workspace.ts";

const BARE_PG = fileURLToPath(new URL("contenders/bare-pg.ts", import.meta.url));
/** Seconds at the start of each run that do not count: each run is a new, cold process, unlike the service. */
const WARM_UP = 1;

const Printed: z.ZodType<Answers> = z.object({ answers: z.number().positive(), milliseconds: z.number().positive() });

/** Runs the list's query with the bare client, on the server's core. */
export async function loadByBareClient(workspace: Workspace, url: string, seconds: number): Promise<Run> {
  const queries: Queries = { url, warmUp: WARM_UP, seconds };
  const useSoFar = watchCores(workspace.cores);
  const command = [...BUN, BARE_PG, JSON.stringify(queries)];
  const printed = await workspace.run(command, WARM_UP + seconds, workspace.cores.server);
  const { answers, milliseconds } = Printed.parse(JSON.parse(printed));
  return { perSecond: (answers / milliseconds) * 1000, ...useSoFar() };
}

/** The same row as the service's creation, with a commit for each. */
const INSERTION = `INSERT INTO petstore.pets (name, category_id, status) VALUES ('Benchmark', 7, 'pending')
  RETURNING id, name, category_id, status;
`;

/** Runs insertions with pgbench, on the server's core. */
export async function loadByPgbench(workspace: Workspace, url: string, seconds: number): Promise<Run> {
  const options = ["-n", "-c64", "-j1", "-Mprepared", `-T${seconds}`, "-f", workspace.file("insertion.sql", INSERTION)];
  const useSoFar = watchCores(workspace.cores);
  const printed = await workspace.run([pathOf("pgbench"), ...options, url], seconds, workspace.cores.server);
  const use = useSoFar();
  const rate = /^tps = ([\d.]+) \(without initial connection time\)$/m.exec(printed)?.[1];
  if (rate === undefined) throw new Error(`pgbench printed no rate:\n${printed}`);
  return { perSecond: Number(rate), ...use };
}

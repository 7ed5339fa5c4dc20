import { fileURLToPath } from "node:url";
import { z } from "zod";
import type { Answers, Queries } from "./contenders/bare-pg.ts";
import { watchCores } from "./cores.ts";
import type { Run } from "./load.ts";
import { BUN } from "./servers.ts";
import { pathOf } from "./tools.ts";
import type { Workplace } from "./workplace.ts";

const BARE_PG = fileURLToPath(new URL("contenders/bare-pg.ts", import.meta.url));
/** A process begins cold each time, the service does not: this many seconds of each run do not count. */
const WARM_UP = 1;

const Printed: z.ZodType<Answers> = z.object({ answers: z.number().positive(), milliseconds: z.number().positive() });

/** The list's query by the bare client, on the server's core in place of the service. */
export async function loadByBareClient(workplace: Workplace, url: string, seconds: number): Promise<Run> {
  const queries: Queries = { url, warmUp: WARM_UP, seconds };
  const useSoFar = watchCores(workplace.cores);
  const command = [...BUN, BARE_PG, JSON.stringify(queries)];
  const printed = await workplace.run(command, WARM_UP + seconds, workplace.cores.server);
  const { answers, milliseconds } = Printed.parse(JSON.parse(printed));
  return { perSecond: (answers / milliseconds) * 1000, ...useSoFar() };
}

/** The row that the service is asked to create, each with a commit of its own. */
const INSERTION = `INSERT INTO petstore.pets (name, category_id, status) VALUES ('Benchmark', 7, 'pending')
  RETURNING id, name, category_id, status;
`;

/** Insertions by pgbench, on the server's core in place of the service. */
export async function loadByPgbench(workplace: Workplace, url: string, seconds: number): Promise<Run> {
  const options = ["-n", "-c64", "-j1", "-Mprepared", `-T${seconds}`, "-f", workplace.file("insertion.sql", INSERTION)];
  const useSoFar = watchCores(workplace.cores);
  const printed = await workplace.run([pathOf("pgbench"), ...options, url], seconds, workplace.cores.server);
  const use = useSoFar();
  const rate = /^tps = ([\d.]+) \(without initial connection time\)$/m.exec(printed)?.[1];
  if (rate === undefined) throw new Error(`pgbench printed no rate:\n${printed}`);
  return { perSecond: Number(rate), ...use };
}

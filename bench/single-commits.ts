import { fileURLToPath } from "node:url";
import { z } from "zod";
import { DEFAULT_STATUS } from "../src/pets/pet.ts";
import { connect } from "../src/sqlite/open.ts";
import { type Run, watchCores } from "./load.ts";
import { BUN } from "./servers.ts";
import type { Workplace } from "./workplace.ts";

const Printed = z.object({ perSecond: z.number().positive() });

/** How many rows a second SQLite alone makes durable, each by a commit of its own, in a process of its own. */
export async function singleCommits(workplace: Workplace, database: string, seconds: number): Promise<Run> {
  const command = [...BUN, fileURLToPath(import.meta.url), database, String(seconds)];
  const { printed, ...use } = await watchCores(workplace.cores, () => workplace.serve(command, seconds));
  return { ...Printed.parse(JSON.parse(printed)), ...use };
}

if (import.meta.main) {
  const [path = "", seconds] = process.argv.slice(2);
  const database = connect(path, 0);
  const insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
  const started = performance.now();
  const end = started + Number(seconds) * 1000;
  let rows = 0;
  for (; performance.now() < end; rows++) insert.run("Benchmark", 7, DEFAULT_STATUS);
  const perSecond = (rows / (performance.now() - started)) * 1000;
  database.close();
  console.log(JSON.stringify({ perSecond }));
}

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { sqliteUsage } from "../../../src/adapters/sqlite/usage.ts";
import { commandFor, type Runtime } from "../../support/runtime.ts";
import { databasePathOf } from "../../support/store.ts";
import { Disk, filesIn, write } from "./disk.ts";
import { record } from "./trace.ts";

const WORKLOAD = fileURLToPath(new URL("workload.ts", import.meta.url));
/** It is made before, and nothing says what is in it: what each state has of it is its size, and not its 16 MB. */
const RESERVE = "petstore.db.reserve";
/** The pets that the database has before. */
const PETS = 20;
const ALL = { limit: 1_000_000, after: 0n };

/**
 * What a loss of power did to acknowledged pets and requests: which pets are lost, how many requests at most, which ids the next
 * pet got although they were given, and how often pets are reported as lost that were not acknowledged. `beside`: how many syncs
 * began while others were under way.
 */
type Findings = {
  states: number;
  lost: Set<number>;
  uncounted: number;
  givenTwice: number[];
  falseAlarms: number;
  beside: number;
};

/** Records the workload, and opens the database in each state in which a loss of power may leave it. */
export async function replay(
  parent: string,
  runtime: Runtime,
  synchronous: "ALONE" | "FULL" | "NORMAL",
): Promise<Findings> {
  const directory = mkdtempSync(join(parent, "run-"));
  const path = join(directory, "data", "petstore.db");
  mkdirSync(join(directory, "data"));
  await add(path, PETS);
  const files = filesIn(join(directory, "data"));
  const reserved = files.get(RESERVE)?.length;
  files.delete(RESERVE);
  const disk = new Disk(files);
  const program = commandFor(WORKLOAD, runtime);
  const events = record(join(directory, "data"), [...program, path, synchronous], join(directory, "trace"));
  const findings: Findings = {
    states: 0,
    lost: new Set(),
    uncounted: 0,
    givenTwice: [],
    falseAlarms: 0,
    beside: 0,
  };
  const seen = new Set<string>();
  const acknowledged: number[] = [];
  let counted = 0;
  let underWay = 0;
  for (const event of events) {
    if (event.kind === "sync" && underWay++ > 0) findings.beside += 1;
    if (event.kind === "synced") underWay -= 1;
    if (event.kind === "acknowledge") {
      if (event.id > 0) acknowledged.push(event.id);
      else counted = -event.id;
    }
    for (const files of disk.states(event)) {
      const state = `${acknowledged.length} ${counted} ${[...files].map(([name, bytes]) => `${name} ${Bun.hash(bytes)}`)}`;
      if (seen.has(state)) continue;
      seen.add(state);
      findings.states += 1;
      write(files, join(directory, "after"));
      if (!files.has(RESERVE)) reserve(join(directory, "after", RESERVE), reserved);
      await open(join(directory, "after"), acknowledged, counted, findings);
    }
  }
  return findings;
}

/** Opens the database as the next start does. */
async function open(directory: string, acknowledged: number[], counted: number, findings: Findings): Promise<void> {
  inAnotherBoot(join(directory, "petstore.db.ids"));
  const database = new Database({ path: databasePathOf(directory), deployment: "production" });
  const pets = new SqlitePets(database);
  const found = new Set(pets.page(ALL).map(({ id }) => id));
  for (const id of acknowledged) if (!found.has(id)) findings.lost.add(id);
  if (database.ids.lost !== undefined && database.ids.lost.from > Math.max(0, ...acknowledged))
    findings.falseAlarms += 1;
  const [usage] = await sqliteUsage(database).usageOf("key_1", { hour: [0] });
  findings.uncounted = Math.max(findings.uncounted, counted - (usage?.counts[0] ?? 0));
  const { id } = await pets.create({ name: "Next", categoryId: 1n }, { now: Date.now() });
  if (acknowledged.includes(id)) findings.givenTwice.push(id);
  database.close();
  rmSync(directory, { recursive: true });
}

function reserve(path: string, size = 0): void {
  writeFileSync(path, "");
  truncateSync(path, size);
}

/** A loss of power begins another boot, which the mark of ids notices. */
function inAnotherBoot(mark: string): void {
  if (existsSync(mark))
    writeFileSync(mark, readFileSync(mark, "latin1").replace(/ \S+ +/, ` ${"another".padEnd(36)} `));
}

async function add(path: string, count: number): Promise<void> {
  const database = new Database({ path, deployment: "production" });
  const pets = new SqlitePets(database);
  for (let i = 0; i < count; i++) await pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  database.close();
}

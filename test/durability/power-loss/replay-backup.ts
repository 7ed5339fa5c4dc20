import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import { backupDatabase } from "../../../src/adapters/sqlite/backup.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { commandFor, type Runtime } from "../../support/runtime.ts";
import { Disk, type Files, filesIn, write } from "./disk.ts";
import { record } from "./trace.ts";

const WORKLOAD = fileURLToPath(new URL("backup-workload.ts", import.meta.url));
const NAME = "backup.db";

/** The numbers of pets in the backups that a loss of power leaves: during the command, and once it has ended. */
type Found = { during: Set<unknown>; after: unknown };

/** Replaces a backup of one pet with a backup of two, and opens it in each state in which a loss of power may leave it. */
export async function replayBackup(parent: string, runtime: Runtime): Promise<Found> {
  const directory = mkdtempSync(join(parent, "backup-"));
  const backups = join(directory, "backups");
  mkdirSync(backups);
  const file = { path: join(directory, "petstore.db"), deployment: "production" as const };
  const [source, target] = [file.path, join(backups, NAME)];
  await addPet(file);
  backupDatabase(file, target, false);
  await addPet(file);
  const disk = new Disk(filesIn(backups));
  const events = record(backups, [...commandFor(WORKLOAD, runtime), source, target], join(directory, "trace"));
  const look = (files: Files) => petsIn(files, join(directory, "after"));
  return { during: new Set(events.flatMap((event) => disk.states(event)).map(look)), after: look(disk.synced()) };
}

/** The number of pets in the backup, or what is wrong with it. */
function petsIn(files: Files, directory: string): unknown {
  write(files, directory);
  try {
    const database = new DatabaseSync(join(directory, NAME), { readOnly: true });
    const found = database.prepare(
      "SELECT count(*) AS pets, (SELECT * FROM pragma_integrity_check) AS state FROM pets",
    );
    const { pets, state } = found.get() ?? {};
    database.close();
    return state === "ok" ? pets : state;
  } catch (error) {
    return String(error);
  } finally {
    rmSync(directory, { recursive: true });
  }
}

async function addPet(file: { path: string; deployment: "production" }): Promise<void> {
  const database = new Database(file);
  await new SqlitePets(database).create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  database.close();
}

import { setImmediate as nextTurn } from "node:timers/promises";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { IN_MEMORY } from "../../../src/adapters/sqlite/errors.ts";
import type { Opened } from "../../conformance/opened.ts";
import { temporaryFile } from "./temporary.ts";

/** A new file opened twice, as two processes have it open, with a store of `make`'s on each. */
export async function openOnDisk<Store>(make: (database: Database) => Store): Promise<Opened<Store>> {
  const file = temporaryFile();
  const [one, another] = [new Database(file), new Database(file)];
  return {
    store: make(one),
    other: make(another),
    // A refresh is worth something once a turn of the event loop.
    async refresh() {
      await nextTurn();
      for (const database of [one, another]) database.refresh();
    },
    close() {
      one.close();
      another.close();
      file.remove();
    },
  };
}

/** A new database in memory. No other process can open it: both stores are on the same connection. */
export async function openInMemory<Store>(make: (database: Database) => Store): Promise<Opened<Store>> {
  const database = new Database({ path: IN_MEMORY, deployment: "production" });
  return {
    store: make(database),
    other: make(database),
    async refresh() {
      await nextTurn();
      database.refresh();
    },
    close: () => database.close(),
  };
}

/** Every kind of SQLite database, with its name in the tests. */
export const openings = [
  ["SQLite", openOnDisk],
  ["SQLite in memory", openInMemory],
] as const;

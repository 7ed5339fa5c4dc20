import { Database } from "../../../src/adapters/sqlite/database.ts";
import type { Opened } from "../../conformance/opened.ts";
import { temporaryFile } from "./temporary.ts";

/** A new file opened twice, as two processes have it open, with a store of `make`'s on each. */
export async function openOnDisk<Store>(make: (database: Database) => Store): Promise<Opened<Store>> {
  const file = temporaryFile();
  const [one, another] = [new Database(file), new Database(file)];
  return {
    store: make(one),
    other: make(another),
    async refresh() {
      // A refresh is worth something once a turn of the event loop.
      await new Promise((resolve) => setImmediate(resolve));
      for (const database of [one, another]) database.refresh();
    },
    close() {
      one.close();
      another.close();
      file.remove();
    },
  };
}

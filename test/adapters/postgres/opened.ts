import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import type { Opened } from "../../conformance/opened.ts";
import { createDatabase } from "../../support/shared-postgres.ts";

/** A new database, opened twice, as two nodes have it open. */
export async function openOnPostgres<Store>(make: (database: Database) => Store): Promise<Opened<Store>> {
  const { url, drop } = await createDatabase();
  const [one, another] = [new Database(url, 4, () => {}), new Database(url, 4, () => {})];
  await migrate(one, "production");
  return {
    store: make(one),
    other: make(another),
    refresh: () => {},
    async close() {
      await Promise.all([one.close(), another.close()]);
      await drop();
    },
  };
}

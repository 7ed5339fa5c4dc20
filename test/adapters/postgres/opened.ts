import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import type { Opened } from "../../conformance/opened.ts";
import { createDatabaseWithSchema } from "../../support/shared-postgres.ts";

/** A new database, opened twice, as two nodes have it open; at the address that `through` makes of its own. */
export async function openOnPostgres<Store>(
  make: (database: Database) => Store,
  through = (url: string) => url,
): Promise<Opened<Store>> {
  const { url: direct, drop } = await createDatabaseWithSchema();
  const url = through(direct);
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

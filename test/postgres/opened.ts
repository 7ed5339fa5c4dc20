import { afterAll } from "bun:test";
import { Database } from "../../src/postgres/database.ts";
import { migrate } from "../../src/postgres/migrate.ts";
import type { Opened } from "../conformance/opened.ts";
import { startPostgres } from "../support/postgres.ts";

let server: ReturnType<typeof startPostgres> | undefined;
let databases = 0;
afterAll(async () => (await server)?.remove());

/** A new database on a server that all tests of a file share, opened twice, as two nodes have it open. */
export async function openOnServer<Store>(make: (database: Database) => Store): Promise<Opened<Store>> {
  server ??= startPostgres();
  const postgres = await server;
  databases += 1;
  const name = `test_${databases}`;
  await postgres.query(`CREATE DATABASE ${name}`);
  const url = postgres.url.replace(/postgres$/, name);
  const [one, another] = [new Database(url, 4, () => {}), new Database(url, 4, () => {})];
  await migrate(one);
  return {
    store: make(one),
    other: make(another),
    refresh: () => {},
    async close() {
      await Promise.all([one.close(), another.close()]);
    },
  };
}

import { afterAll, beforeAll } from "bun:test";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import type { Opened } from "../../conformance/opened.ts";
import { type Postgres, startPostgres } from "../../support/postgres.ts";

type Make<Store> = (database: Database) => Store;

/** A server for the tests of the file that calls this. What it gives opens new databases on it. */
export function usePostgres(): <Store>(make: Make<Store>) => Promise<Opened<Store>> {
  let postgres: Postgres;
  let databases = 0;
  beforeAll(async () => {
    postgres = await startPostgres();
  });
  afterAll(() => postgres.remove());

  /** A new database, opened twice, as two nodes have it open. */
  return async (make) => {
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
  };
}

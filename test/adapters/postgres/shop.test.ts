import { expect, test } from "bun:test";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { LIFETIME, shopConformance } from "../../conformance/shop.ts";
import { queryAt } from "../../support/postgres.ts";
import { createDatabaseWithSchema } from "../../support/shared-postgres.ts";
import { openOnPostgres } from "./opened.ts";
import { shopOn } from "./shop.ts";

shopConformance("PostgreSQL", () => openOnPostgres(shopOn));

test("orders that expire together lock one row of the counts, so that nobody waits for it", async () => {
  const { url, drop } = await createDatabaseWithSchema();
  const database = new Database(url, 4, () => {});
  await migrate(database, "production");
  const { pets, expiring } = shopOn(database);
  const added = await Promise.all(
    Array.from({ length: 20 }, () => pets.create({ name: "Rex", categoryId: 1n }, { now: 0 })),
  );
  for (const { id } of added) await expiring.place(BigInt(id), 0);
  expect(await expiring.expire(LIFETIME)).toBe(20);
  const counts = await queryAt(url, "SELECT cancelled FROM petstore.inventory WHERE cancelled > 0");
  expect(counts.map(({ cancelled }) => Number(cancelled))).toEqual([20]);
  await database.close();
  await drop();
});

import { expect, test } from "bun:test";
import pg from "pg";
import { UsageBuffer } from "../../../src/adapters/memory/usage.ts";
import { Database } from "../../../src/adapters/postgres/database.ts";
import { migrate } from "../../../src/adapters/postgres/migrate.ts";
import { migrations } from "../../../src/adapters/postgres/migrations.ts";
import { PostgresUsage } from "../../../src/adapters/postgres/usage.ts";
import { type Answered, startOf, TOTAL } from "../../../src/domain/usage/counting.ts";
import type { Ranking, UsageWrite } from "../../../src/domain/usage/reading.ts";
import { usageStoreConformance } from "../../conformance/usage-store.ts";
import { eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { queryAt } from "../../support/postgres.ts";
import { createDatabase, createDatabaseWithSchema } from "../../support/shared-postgres.ts";
import { openOnPostgres } from "./opened.ts";

usageStoreConformance("PostgreSQL", () => openOnPostgres((database) => new PostgresUsage(database)));

const NOW = Date.UTC(2026, 11, 2, 10);
const hour = startOf("hour", NOW);

/** A new database, and a process with a store and a buffer of its own for each number. */
async function openProcesses(count: number) {
  const { url, drop } = await createDatabaseWithSchema();
  const processes = Array.from({ length: count }, (_, i) => {
    const database = new Database(url, 3, () => {});
    return { database, store: new PostgresUsage(database), buffer: new UsageBuffer(`writer ${i}`) };
  });
  for (const { database } of processes.slice(0, 1)) await migrate(database, "production");
  return { url, drop, processes };
}

function record(buffer: UsageBuffer, keyId: string): void {
  const request: Answered = {
    ...{ keyId, plan: "free", operation: "listPets", method: "GET", status: 200, duration: 1 },
    at: NOW,
    decision: undefined,
  };
  buffer.record(request);
}

function nextWrite(buffer: UsageBuffer): UsageWrite {
  buffer.rotate();
  const write = buffer.next();
  if (write === undefined) throw new Error("nothing to write");
  return write;
}

const countOf = async (store: PostgresUsage, who: string) =>
  (await store.usageOf(who, { hour: [hour] })).reduce((sum, { counts }) => sum + (counts[0] ?? 0), 0);

test("processes that write at once all succeed, lose nothing, and change rows on their pages", async () => {
  states("docs/development/stores.md", "the new versions find room on it, and no index changes (HOT).");
  states(
    "docs/scaling.md",
    "Changes of usage need no vacuum. Pages are filled to the half, and a change finds its room there",
  );
  const { url, drop, processes } = await openProcesses(12);
  const rounds = 5;
  const [first] = processes;
  if (first === undefined) throw new Error("there is no process");
  for (let key = 0; key < 100; key++) record(first.buffer, `key_early_${key}`);
  await first.store.add(nextWrite(first.buffer));
  first.buffer.written();
  await Promise.all(
    processes.map(async ({ store, buffer }, number) => {
      for (let round = 0; round < rounds; round++) {
        for (let key = 0; key < 100; key++) record(buffer, `key_${number}_${key}`);
        for (let key = 0; key < 100; key++) record(buffer, `key_${key}`);
        buffer.rotate();
        for (let write = buffer.next(); write !== undefined; write = buffer.next()) {
          await store.add(write);
          buffer.written();
        }
      }
    }),
  );
  expect(await countOf(first.store, TOTAL)).toBe(100 + processes.length * rounds * 200);
  expect(await countOf(first.store, "key_7")).toBe(processes.length * rounds);
  expect(await countOf(first.store, "key_3_7")).toBe(rounds);
  // Keys that others have overtaken leave the rankings, also those of the day before.
  const longest = async () => {
    const ranked = "SELECT count(*) AS count FROM petstore.usage_rankings GROUP BY resolution, at, ranking";
    const [row] = await queryAt(url, `SELECT max(count)::int AS longest FROM (${ranked}) AS rankings`);
    return row?.longest;
  };
  expect(await longest()).toBeGreaterThan(100);
  await first.store.prune(NOW + 36 * 3_600_000, 500);
  expect(await longest()).toBe(100);
  await Promise.all(processes.map(({ database }) => database.close()));
  // Connections report what they changed when they end.
  let changes: { all: number; onPage: number } = { all: 0, onPage: 0 };
  await eventually(async () => {
    const [row] = await queryAt(
      url,
      `SELECT n_tup_upd::int AS all, n_tup_hot_upd::int AS on_page FROM pg_stat_user_tables WHERE relname = 'usage'`,
    );
    changes = { all: Number(row?.all), onPage: Number(row?.on_page) };
    // Each round changes the rows of a process's own keys in the minute, the hour and the day.
    return changes.all >= processes.length * (rounds - 1) * 100 * 3;
  });
  // Nearly all on a machine with time to spare; before, none.
  expect(changes.onPage / changes.all).toBeGreaterThan(0.5);
  await drop();
});

test("the busiest keys of usage that an older schema has are found after the migration", async () => {
  const { url, drop } = await createDatabase();
  const database = new Database(url, 3, () => {});
  await migrate(database, "production", migrations.slice(0, 1));
  await queryAt(
    url,
    `INSERT INTO petstore.usage SELECT 3600000, ${hour}, 'key_' || n, 'listPets', n, 0, n % 2, 0, 0 FROM generate_series(1, 300) AS n`,
  );
  await queryAt(url, `INSERT INTO petstore.usage VALUES (3600000, ${hour}, '*', 'listPets', 9999, 0, 9999, 0, 0)`);
  await queryAt(url, `INSERT INTO petstore.usage_latency VALUES (3600000, ${hour}, 1, 9999)`);
  await migrate(database, "production");
  const store = new PostgresUsage(database);
  const top = (ranking: Ranking) => store.busiest(ranking, "hour", [hour], 2);
  expect((await top("requests")).toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))).toEqual([
    { keyId: "key_299", count: 300 },
    { keyId: "key_300", count: 300 },
  ]);
  expect((await top("refusals")).map(({ count }) => count)).toEqual([1, 1]);
  await database.close();
  await drop();
});

test("what a process handed over before it was killed is added once", async () => {
  states(
    "docs/development/stores.md",
    "and each write is added once, also if its process was killed after it handed over.",
  );
  states(
    "docs/scaling.md",
    "Usage: each process hands over its counts in one insertion, and one after the other adds what all have handed over, which takes 19 µs of one core for each key.",
  );
  states(
    "docs/scaling.md",
    "Usage: each process hands over its counts in one insertion, and one after the other adds what all have handed over",
  );
  const { url, drop, processes } = await openProcesses(2);
  const [killed, other] = processes;
  if (killed === undefined || other === undefined) throw new Error("there are no processes");
  // The process that adds holds this lock: none adds meanwhile.
  const session = new pg.Client(url);
  await session.connect();
  await session.query(`SELECT pg_advisory_lock(${0x75736167})`);
  record(killed.buffer, "key_1");
  const write = nextWrite(killed.buffer);
  const added = killed.store.add(write);
  await eventually(async () => {
    const rows = await queryAt(url, "SELECT 1 AS one FROM petstore.usage_writers WHERE pending IS NOT NULL");
    return rows.length === 1;
  });
  expect(await countOf(other.store, TOTAL)).toBe(0);
  await killed.database.close();
  await expect(added).rejects.toMatchObject({ code: "service_unavailable" });
  await session.end();
  await other.store.prune(NOW, 500);
  expect(await countOf(other.store, TOTAL)).toBe(1);
  await other.store.add(write);
  expect(await countOf(other.store, TOTAL)).toBe(1);
  record(other.buffer, "key_1");
  await other.store.add(nextWrite(other.buffer));
  expect(await countOf(other.store, "key_1")).toBe(2);
  await other.database.close();
  await drop();
});

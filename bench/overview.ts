import { DatabaseSync } from "node:sqlite";
import { Database as PostgresDatabase } from "../src/adapters/postgres/database.ts";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { PostgresUsage } from "../src/adapters/postgres/usage.ts";
import { Database as SqliteDatabase } from "../src/adapters/sqlite/database.ts";
import { sqliteUsage } from "../src/adapters/sqlite/usage.ts";
import { lastOf, lengthOf, resolutions, startOf } from "../src/domain/usage/counting.ts";
import { overview, type UsageStore } from "../src/domain/usage/reading.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { temporaryDirectory } from "../test/support/temporary.ts";
import { logProgress, median, scriptOptions } from "./figures.ts";

const USAGE = `bun bench/overview.ts [--each-minute N]

How long the overview of the total usage takes, and a key's own last day and month, with 1,000 keys and 30 days of
minutes, in each of which N of the keys made requests (100 unless given). On SQLite and on PostgreSQL.`;

const KEYS = 1_000;
const DAYS = 30;
const ROUNDS = 50;
/** The number of filled latency buckets in each minute, hour and day. */
const BUCKETS = 16;
const NOW = Date.UTC(2026, 11, 2, 10);

const options = scriptOptions(USAGE, { "each-minute": { type: "string", default: "100" } });
const eachMinute = Number(options["each-minute"]);
await measureSqlite();
await measurePostgres();

async function measureSqlite(): Promise<void> {
  const path = `${temporaryDirectory()}/petstore.db`;
  const database = new SqliteDatabase({ path, deployment: "production" });
  const direct = new DatabaseSync(path);
  direct.exec("PRAGMA synchronous = OFF");
  for (const statement of filling("usage", "usage_latency", recursiveSeries)) direct.exec(statement);
  direct.close();
  await measure("SQLite", sqliteUsage(database));
  database.close();
}

async function measurePostgres(): Promise<void> {
  const postgres = await startPostgres();
  try {
    const database = new PostgresDatabase(postgres.url, 10, () => {});
    await migrate(database, "production");
    for (const statement of filling("petstore.usage", "petstore.usage_latency", postgresSeries)) {
      await postgres.query(statement);
    }
    await postgres.query("VACUUM ANALYZE");
    await measure("PostgreSQL", new PostgresUsage(database));
    await database.close();
  } finally {
    await postgres.stop();
    await postgres.remove();
  }
}

async function measure(engine: string, store: UsageStore): Promise<void> {
  const medianOf = async (work: () => unknown) => {
    const times: number[] = [];
    while (times.length < ROUNDS) {
      const begun = performance.now();
      await work();
      times.push(performance.now() - begun);
    }
    const slowest = Math.max(...times);
    return `${median(times).toFixed(1)} ms (slowest ${slowest.toFixed(1)} ms)`;
  };
  const { month, hour } = await overview(store, NOW);
  if (month.sum.requests === 0 || hour.points.some(({ requests }) => requests === 0))
    throw new Error("the usage is empty");
  console.log(`${engine}, ${KEYS} keys, ${DAYS} days of minutes with ${eachMinute} keys in each
  overview                   ${await medianOf(() => overview(store, NOW))}
  a key's last 24 hours      ${await medianOf(() => store.usageOf("key_7", { hour: lastOf("hour", 24, NOW) }))}
  a key's last 1,440 minutes ${await medianOf(() => store.usageOf("key_7", { minute: lastOf("minute", 1_440, NOW) }))}`);
}

/** Statements that write the usage of a month. The store itself adds only a minute at a time. */
function filling(usage: string, latency: string, series: (name: string, count: number) => string): string[] {
  return resolutions.flatMap((resolution) => {
    const length = lengthOf[resolution];
    const stretches = (DAYS * lengthOf.day) / length + 1;
    const at = `${startOf(resolution, NOW) - (stretches - 1) * length} + t.n * ${length}`;
    const keys = resolution === "minute" ? eachMinute : KEYS;
    const who = resolution === "minute" ? `((k.n + t.n * 7) % ${KEYS})` : "k.n";
    logProgress(`${stretches * keys} rows by the ${resolution}`);
    const counts = "'listPets', 3, 1, 0, 0, 0";
    return [
      `INSERT INTO ${usage} SELECT ${length}, ${at}, 'key_' || ${who}, ${counts}
       FROM ${series("t", stretches)} CROSS JOIN ${series("k", keys)}`,
      `INSERT INTO ${usage} SELECT ${length}, ${at}, '*', o.n, ${3 * keys}, ${keys}, 5, 0, 0
       FROM ${series("t", stretches)} CROSS JOIN (SELECT 'listPets' AS n UNION ALL SELECT 'createPet' UNION ALL SELECT 'other') AS o`,
      `INSERT INTO ${latency} SELECT ${length}, ${at}, 8 + b.n, 100 + b.n
       FROM ${series("t", stretches)} CROSS JOIN ${series("b", BUCKETS)}`,
    ];
  });
}

/** A table with the numbers from 0 to `count` - 1 in a column n. */
function postgresSeries(name: string, count: number): string {
  return `generate_series(0::bigint, ${count - 1}) AS ${name} (n)`;
}

function recursiveSeries(name: string, count: number): string {
  const numbers = `WITH RECURSIVE numbers (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count - 1})`;
  return `(${numbers} SELECT n FROM numbers) AS ${name}`;
}

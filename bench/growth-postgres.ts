import { UsageBuffer } from "../src/adapters/memory/usage.ts";
import { Database } from "../src/adapters/postgres/database.ts";
import { migrate } from "../src/adapters/postgres/migrate.ts";
import { PostgresUsage } from "../src/adapters/postgres/usage.ts";
import { lengthOf, retention } from "../src/domain/usage/counting.ts";
import { startPostgres } from "../test/support/postgres.ts";
import { logProgress, scriptOptions, table } from "./figures.ts";

const USAGE = `bun bench/growth-postgres.ts [--pets N] [--orders N] [--keys N] [--usage-keys N]

Prints the bytes that a pet, an order, a key and its usage take in PostgreSQL, with their indexes, and what becomes of the space
of deleted usage. Needs 2 GB in /var/tmp.`;

/** In a second of the service, usage is written every two to ten seconds. */
const WRITES_IN_A_MINUTE = 10;
const MINUTES = 20;
/** So often the oldest usage is deleted while as much is added. */
const TURNS = 5;
const START = Date.UTC(2026, 11, 2);

const values = scriptOptions(USAGE, {
  pets: { type: "string", default: "1000000" },
  orders: { type: "string", default: "200000" },
  keys: { type: "string", default: "10000" },
  "usage-keys": { type: "string", default: "200" },
});
const [pets, orders, keys, usageKeys] = [values.pets, values.orders, values.keys, values["usage-keys"]].map(Number);

/** Rows as the service writes them, with names of the samples' length. */
const fills: [name: string, tables: string[], count: number | undefined, text: string][] = [
  [
    "pet",
    ["pets"],
    pets,
    `INSERT INTO petstore.pets (name, category_id, status, name_key)
     SELECT name, n % 20, CASE WHEN n % 10 < 8 THEN 'available' ELSE 'sold' END, lower(name)
     FROM (SELECT n, (ARRAY['Bella', 'Bubbles', 'Captain', 'Rex'])[1 + n % 4] || ' ' || n / 4 AS name
       FROM generate_series(1, ${pets}) AS n) AS named`,
  ],
  [
    "order",
    ["orders"],
    orders,
    `INSERT INTO petstore.orders (pet_id, status, created_at, updated_at)
     SELECT n, CASE WHEN n % 10 = 0 THEN 'cancelled' ELSE 'delivered' END, ${START} + n, ${START} + n
     FROM generate_series(1, ${orders}) AS n`,
  ],
  [
    "key",
    ["keys", "secrets"],
    keys,
    `INSERT INTO petstore.keys (id, name, plan, per_minute, per_day, scopes, created_at, search_text, last_fours)
     SELECT id, 'Shop ' || n, 'free', 60, 1000, '["pets:read","pets:write","orders:read","orders:write"]', ${START} + n,
       id || ' shop ' || n, right(md5(id), 4)
     FROM (SELECT n, 'key_' || left(md5(n::text), 16) AS id FROM generate_series(1, ${keys}) AS n) AS named;
     INSERT INTO petstore.secrets (hash, key_id, last_four, created_at)
     SELECT encode(sha256(id::bytea), 'hex'), id, right(md5(id), 4), created_at FROM petstore.keys`,
  ],
  [
    "entry of the audit log",
    ["audit"],
    orders,
    `INSERT INTO petstore.audit (at, operator_id, operator_name, action, target, before_json, after_json, request_id)
     SELECT ${START} + n, 'op_' || left(md5((n % 5)::text), 16), 'Operator ' || n % 5, 'pet.update', (n * 7919 % 1000000)::text,
       '{"id":' || n || ',"name":"Bella","categoryId":1,"status":"available"}',
       '{"id":' || n || ',"name":"Bella","categoryId":1,"status":"sold"}', gen_random_uuid()::text
     FROM generate_series(1, ${orders}) AS n`,
  ],
];

const postgres = await startPostgres({ settings: { shared_buffers: "256MB", autovacuum: "off" } });
const database = new Database(postgres.url, 10, () => {});
await migrate(database, "production");
const rows: string[][] = [];
for (const [name, tables, count = 0, text] of fills) {
  logProgress(`${count} of ${name}`);
  const before = await sizeOf(tables);
  await postgres.query(text);
  await postgres.query(`VACUUM ANALYZE ${tables.map((each) => `petstore.${each}`)}`);
  rows.push([name, count.toLocaleString("en"), (((await sizeOf(tables)) - before) / count).toFixed(0)]);
}
const store = new PostgresUsage(database);
const sizes: number[] = [];
for (let turn = 0; turn < TURNS; turn++) {
  logProgress(`usage of ${usageKeys} keys, ${turn + 1} of ${TURNS}`);
  const begin = START + turn * MINUTES * lengthOf.minute;
  await addUsage(turn, begin);
  // Only what this turn added stays.
  while ((await store.prune(begin + retention.minute, 10_000)) > 0);
  await postgres.query("VACUUM petstore.usage");
  sizes.push(await sizeOf(["usage"]));
  if (turn > 0) continue;
  const [row] = await postgres.query("SELECT count(*)::int AS count FROM petstore.usage");
  rows.push([
    "minute, hour or day of usage",
    Number(row?.count).toLocaleString("en"),
    (Number(sizes[0]) / Number(row?.count)).toFixed(0),
  ]);
}
console.log(table(["One", "rows", "bytes"], rows));
console.log(`\nusage, after each time that ${MINUTES} minutes were added and the ones before them deleted, in MB:
${sizes.map((size) => (size / 1e6).toFixed(1)).join(", ")}`);
await database.close();
await postgres.remove();

/** Adds minutes of usage as a process does. */
async function addUsage(turn: number, begin: number): Promise<void> {
  const buffer = new UsageBuffer(`writer ${turn}`);
  for (let minute = 0; minute < MINUTES; minute++) {
    for (let write = 0; write < WRITES_IN_A_MINUTE; write++) {
      const at = begin + minute * lengthOf.minute + write * 5_000;
      for (let key = 0; key < (usageKeys ?? 0); key++) {
        const keyId = `key_${String(key * 7_919_993).padStart(16, "0")}`;
        const request = {
          keyId,
          plan: "free",
          operation: "listPets",
          method: "GET",
          status: 200,
          duration: 1,
        } as const;
        buffer.record({ ...request, at, decision: undefined });
      }
      buffer.rotate();
      for (let next = buffer.next(); next !== undefined; next = buffer.next()) {
        await store.add(next);
        buffer.written();
      }
    }
  }
}

/** The bytes of tables with their indexes. */
async function sizeOf(tables: string[]): Promise<number> {
  const [row] = await postgres.query(
    "SELECT sum(pg_total_relation_size(('petstore.' || name)::regclass))::float8 AS bytes FROM unnest($1::text[]) AS name",
    [tables],
  );
  return Number(row?.bytes);
}

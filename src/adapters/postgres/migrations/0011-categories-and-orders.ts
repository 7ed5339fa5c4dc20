/**
 * Categories, orders and the inventory; idempotency keys of all creations in place of those of pets alone. The unique index
 * allows a pet one order that holds it. `fillNameKeys` counts pets without a `name_key`. From here on nodes of an older
 * version refuse creations with an idempotency key, which they could not share with others.
 */
export const categoriesAndOrders = [
  `CREATE TABLE IF NOT EXISTS petstore.categories (
    id BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    name_key TEXT NOT NULL UNIQUE,
    version BIGINT NOT NULL
  )`,
  "CREATE TABLE IF NOT EXISTS petstore.category_counters (last_id BIGINT NOT NULL, last_version BIGINT NOT NULL)",
  "INSERT INTO petstore.category_counters SELECT 0, 1 WHERE NOT EXISTS (SELECT 1 FROM petstore.category_counters)",
  "CREATE SEQUENCE IF NOT EXISTS petstore.order_ids MINVALUE 1 MAXVALUE 9007199254740991",
  `CREATE TABLE IF NOT EXISTS petstore.orders (
    id BIGINT PRIMARY KEY DEFAULT nextval('petstore.order_ids') CHECK (id BETWEEN 1 AND 9007199254740991),
    pet_id BIGINT NOT NULL,
    status TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    version BIGINT NOT NULL DEFAULT 1
  )`,
  `CREATE UNIQUE INDEX IF NOT EXISTS orders_holding ON petstore.orders (pet_id) WHERE status IN ('placed', 'approved')`,
  "CREATE INDEX IF NOT EXISTS orders_by_status ON petstore.orders (status, id)",
  "CREATE INDEX IF NOT EXISTS orders_by_pet ON petstore.orders (pet_id, id)",
  "CREATE INDEX IF NOT EXISTS orders_by_pet_and_status ON petstore.orders (pet_id, status, id)",
  `CREATE TABLE IF NOT EXISTS petstore.inventory (
    shard BIGINT PRIMARY KEY,
    available BIGINT NOT NULL,
    pending BIGINT NOT NULL,
    sold BIGINT NOT NULL
  )`,
  `INSERT INTO petstore.inventory SELECT shard,
     CASE shard WHEN 0 THEN (SELECT count(*) FROM petstore.pets WHERE status = 'available' AND name_key IS NOT NULL) ELSE 0 END,
     CASE shard WHEN 0 THEN (SELECT count(*) FROM petstore.pets WHERE status = 'pending' AND name_key IS NOT NULL) ELSE 0 END,
     CASE shard WHEN 0 THEN (SELECT count(*) FROM petstore.pets WHERE status = 'sold' AND name_key IS NOT NULL) ELSE 0 END
   FROM generate_series(0, 15) AS shards (shard) ON CONFLICT DO NOTHING`,
  `CREATE TABLE IF NOT EXISTS petstore.idempotency_keys (
    key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    request TEXT NOT NULL,
    created_id BIGINT NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  )`,
  "CREATE INDEX IF NOT EXISTS idempotency_keys_by_age ON petstore.idempotency_keys (created_at)",
  "ALTER TABLE IF EXISTS petstore.creations RENAME TO replaced_creations",
  `CREATE TABLE IF NOT EXISTS petstore.replaced_creations (
    key_id TEXT, idempotency_key TEXT, created_at BIGINT, pet_id BIGINT, name TEXT, category_id BIGINT, status TEXT
  )`,
  `INSERT INTO petstore.idempotency_keys
     SELECT key_id, idempotency_key, created_at, 'createPet ' || status || ' ' || category_id || ' ' || name, pet_id
     FROM petstore.replaced_creations ON CONFLICT DO NOTHING`,
  "DROP TABLE petstore.replaced_creations",
];

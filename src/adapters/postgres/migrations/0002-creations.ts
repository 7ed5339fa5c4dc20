/** Idempotent creations: each idempotency key with a copy of the pet that it added. */
export const creations = [
  `CREATE TABLE IF NOT EXISTS petstore.creations (
    key_id TEXT NOT NULL,
    idempotency_key TEXT NOT NULL,
    created_at BIGINT NOT NULL,
    pet_id BIGINT NOT NULL,
    name TEXT NOT NULL,
    category_id BIGINT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (key_id, idempotency_key)
  )`,
  "CREATE INDEX IF NOT EXISTS creations_by_age ON petstore.creations (created_at)",
];

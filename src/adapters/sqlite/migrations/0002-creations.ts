/** Idempotent creations: each idempotency key with a copy of the pet that it added. */
export const creations = `
CREATE TABLE creations (
  key_id TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  pet_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  PRIMARY KEY (key_id, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX creations_by_age ON creations (created_at);
`;

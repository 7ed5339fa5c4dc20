/**
 * Owners and notes of keys, and the link by which the first operator signs in. Keys are listed by owner in the order of code
 * units, as on SQLite.
 */
export const keyOwners = [
  `ALTER TABLE petstore.keys
     ADD COLUMN IF NOT EXISTS owner_name TEXT,
     ADD COLUMN IF NOT EXISTS owner_email TEXT,
     ADD COLUMN IF NOT EXISTS owner_key TEXT COLLATE "C" NOT NULL DEFAULT '~',
     ADD COLUMN IF NOT EXISTS owner_name_key TEXT COLLATE "C",
     ADD COLUMN IF NOT EXISTS note TEXT`,
  `CREATE INDEX IF NOT EXISTS keys_by_owner ON petstore.keys
     (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)`,
  `CREATE INDEX IF NOT EXISTS keys_by_owner_name ON petstore.keys
     (owner_name_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
     WHERE owner_name_key IS NOT NULL`,
  `CREATE TABLE IF NOT EXISTS petstore.sign_in_links (
     hash TEXT PRIMARY KEY,
     expires_at BIGINT NOT NULL
   )`,
];

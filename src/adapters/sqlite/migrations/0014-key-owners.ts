/**
 * Owners and notes of keys, and the link by which the first operator signs in. With the indexes, keys are listed by owner and
 * filtered without the table.
 */
export const keyOwners = `
ALTER TABLE keys ADD COLUMN owner_name TEXT;
ALTER TABLE keys ADD COLUMN owner_email TEXT;
ALTER TABLE keys ADD COLUMN owner_key TEXT NOT NULL DEFAULT '~';
ALTER TABLE keys ADD COLUMN owner_name_key TEXT;
ALTER TABLE keys ADD COLUMN note TEXT;
CREATE INDEX keys_by_owner ON keys
  (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until, owner_name_key, search_text, last_fours);
CREATE INDEX keys_by_owner_name ON keys
  (owner_name_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until, search_text, last_fours)
  WHERE owner_name_key IS NOT NULL;

CREATE TABLE sign_in_links (
  hash TEXT PRIMARY KEY,
  expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
`;

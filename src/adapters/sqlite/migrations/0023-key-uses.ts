/**
 * When each key was last used. With many keys in use, each is written once a minute, and a table of its own has a hundred to a
 * page where that of the keys has ten: a write takes a quarter of the processor time.
 */
export const keyUses = `
CREATE TABLE key_uses (
  key_id TEXT PRIMARY KEY,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO key_uses SELECT id, last_used_at FROM keys WHERE last_used_at IS NOT NULL;
ALTER TABLE keys DROP COLUMN last_used_at;
`;

/**
 * Adds to keys when they were disabled, until when they are banned (Unix ms), and what a search compares, in lower case:
 * their ids and names, and the last four characters of their secrets. Keys are listed by age and counted by state. Callers of
 * deprecated operations are listed by their last call, or by their number of calls.
 */
export const keyListing = [
  `ALTER TABLE petstore.keys
     ADD COLUMN IF NOT EXISTS disabled_at BIGINT,
     ADD COLUMN IF NOT EXISTS banned_until BIGINT,
     ADD COLUMN IF NOT EXISTS search_text TEXT NOT NULL DEFAULT '',
     ADD COLUMN IF NOT EXISTS last_fours TEXT NOT NULL DEFAULT ''`,
  `UPDATE petstore.keys SET
     search_text = lower(id || ' ' || name),
     last_fours = coalesce(
       (SELECT lower(string_agg(last_four, ' ' ORDER BY created_at)) FROM petstore.secrets WHERE key_id = keys.id), ''),
     banned_until = (SELECT 1000 * (usage::jsonb -> 'banState' -> 'ban' ->> 'until')::bigint FROM petstore.counters
       WHERE key_id = keys.id
         AND (usage::jsonb -> 'banState' -> 'ban' ->> 'since')::double precision > coalesce(pardoned_at, 0))
   WHERE last_fours = ''`,
  `CREATE INDEX IF NOT EXISTS keys_by_age ON petstore.keys
     (created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)`,
  `CREATE INDEX IF NOT EXISTS keys_revoked ON petstore.keys (created_at, id, revoked_at) WHERE revoked_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS keys_expiring ON petstore.keys (created_at, id, revoked_at, expires_at)
     WHERE revoked_at IS NULL AND expires_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS keys_disabled ON petstore.keys (created_at, id, revoked_at, expires_at, disabled_at)
     WHERE revoked_at IS NULL AND disabled_at IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS keys_banned
     ON petstore.keys (created_at, id, revoked_at, expires_at, disabled_at, banned_until)
     WHERE revoked_at IS NULL AND disabled_at IS NULL AND banned_until IS NOT NULL`,
  `CREATE INDEX IF NOT EXISTS deprecated_calls_by_time
     ON petstore.deprecated_calls (last_called_at, key_id, operation)`,
  `CREATE INDEX IF NOT EXISTS deprecated_calls_by_number ON petstore.deprecated_calls (calls, key_id, operation)`,
];

/**
 * Adds to keys when they were disabled, until when they are banned (Unix ms), and what a search compares, in lower case:
 * their ids and names, and the last four characters of their secrets. With the indexes, lists are filtered and counted
 * without the table. Callers of deprecated operations are listed by their last call, or by their number of calls.
 */
export const keyListing = `
ALTER TABLE keys ADD COLUMN disabled_at INTEGER;
ALTER TABLE keys ADD COLUMN banned_until INTEGER;
ALTER TABLE keys ADD COLUMN search_text TEXT NOT NULL DEFAULT '';
ALTER TABLE keys ADD COLUMN last_fours TEXT NOT NULL DEFAULT '';
UPDATE keys SET
  search_text = lower_case(id || ' ' || name),
  last_fours = coalesce(
    (SELECT lower_case(group_concat(last_four, ' ' ORDER BY created_at)) FROM secrets WHERE key_id = keys.id), ''),
  banned_until = (SELECT 1000 * json_extract(usage, '$.banState.ban.until') FROM counters
    WHERE key_id = keys.id AND json_extract(usage, '$.banState.ban.since') > coalesce(pardoned_at, 0));

CREATE INDEX keys_by_age ON keys
  (created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until, search_text, last_fours);
CREATE INDEX keys_revoked ON keys (created_at, id, revoked_at) WHERE revoked_at IS NOT NULL;
CREATE INDEX keys_expiring ON keys (created_at, id, revoked_at, expires_at)
  WHERE revoked_at IS NULL AND expires_at IS NOT NULL;
CREATE INDEX keys_disabled ON keys (created_at, id, revoked_at, expires_at, disabled_at)
  WHERE revoked_at IS NULL AND disabled_at IS NOT NULL;
CREATE INDEX keys_banned ON keys (created_at, id, revoked_at, expires_at, disabled_at, banned_until)
  WHERE revoked_at IS NULL AND disabled_at IS NULL AND banned_until IS NOT NULL;

CREATE INDEX deprecated_calls_by_time ON deprecated_calls (last_called_at, key_id, operation);
CREATE INDEX deprecated_calls_by_number ON deprecated_calls (calls, key_id, operation);
`;

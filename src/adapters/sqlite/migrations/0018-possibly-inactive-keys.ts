/**
 * Indexes of the keys that can be in another state than active: mostly few. They find those of a state and a plan, and those
 * of a state by owner, without a look at all keys.
 */
export const possiblyInactiveKeys = `
CREATE INDEX keys_possibly_inactive ON keys (created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
  WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL;
CREATE INDEX keys_possibly_inactive_by_owner ON keys
  (owner_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
  WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL;
`;

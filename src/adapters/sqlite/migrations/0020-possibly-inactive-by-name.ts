/** An index of the keys of an owner's name that can be in another state than active, in place of a look at all of that name. */
export const possiblyInactiveByName = `
CREATE INDEX keys_possibly_inactive_by_name ON keys
  (owner_name_key, created_at, id, plan, revoked_at, expires_at, disabled_at, banned_until)
  WHERE revoked_at IS NOT NULL OR expires_at IS NOT NULL OR disabled_at IS NOT NULL OR banned_until IS NOT NULL;
`;

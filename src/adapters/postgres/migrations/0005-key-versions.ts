/**
 * Adds a version to keys, which grows with every change. Drops the checks of plan, status and role, because the code lists
 * their values. PostgreSQL names such a check `keys_plan_check`, CockroachDB `check_plan`.
 */
export const keyVersions = [
  "ALTER TABLE petstore.keys ADD COLUMN IF NOT EXISTS version BIGINT NOT NULL DEFAULT 1",
  ...["keys_plan_check", "check_plan"].map((name) => `ALTER TABLE petstore.keys DROP CONSTRAINT IF EXISTS ${name}`),
  ...["pets_status_check", "check_status"].map((name) => `ALTER TABLE petstore.pets DROP CONSTRAINT IF EXISTS ${name}`),
  ...["operators_role_check", "check_role"].map(
    (name) => `ALTER TABLE petstore.operators DROP CONSTRAINT IF EXISTS ${name}`,
  ),
];

/**
 * A version for each key, which grows with every change; and tables that no longer list the values of plan, status and
 * role: the code has those lists. PostgreSQL names such a constraint `keys_plan_check`, CockroachDB `check_plan`.
 */
export const keyVersions = [
  "ALTER TABLE petstore.keys ADD COLUMN IF NOT EXISTS version BIGINT NOT NULL DEFAULT 1",
  ...["keys_plan_check", "check_plan"].map((name) => `ALTER TABLE petstore.keys DROP CONSTRAINT IF EXISTS ${name}`),
  ...["pets_status_check", "check_status"].map((name) => `ALTER TABLE petstore.pets DROP CONSTRAINT IF EXISTS ${name}`),
  ...["operators_role_check", "check_role"].map(
    (name) => `ALTER TABLE petstore.operators DROP CONSTRAINT IF EXISTS ${name}`,
  ),
];

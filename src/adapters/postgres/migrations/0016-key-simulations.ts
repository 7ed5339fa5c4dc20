/**
 * Adds to keys what their requests are answered with instead, as JSON, and how many requests it has counted. Most keys have
 * none: those that do are listed and counted by an index of their own.
 */
export const keySimulations = [
  `ALTER TABLE petstore.keys
     ADD COLUMN IF NOT EXISTS simulation TEXT,
     ADD COLUMN IF NOT EXISTS simulation_requests BIGINT NOT NULL DEFAULT 0`,
  `CREATE INDEX IF NOT EXISTS keys_rehearsing ON petstore.keys (created_at, id) WHERE simulation IS NOT NULL`,
];

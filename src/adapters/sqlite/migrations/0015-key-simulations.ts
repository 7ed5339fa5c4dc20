/**
 * Adds to keys what their requests are answered with instead, as JSON, and how many requests it has counted. Most keys have
 * none: those that do are listed and counted by an index of their own.
 */
export const keySimulations = `
ALTER TABLE keys ADD COLUMN simulation TEXT;
ALTER TABLE keys ADD COLUMN simulation_requests INTEGER NOT NULL DEFAULT 0;
CREATE INDEX keys_rehearsing ON keys (created_at, id) WHERE simulation IS NOT NULL;
`;

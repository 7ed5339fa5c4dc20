/** Adds a version to pets, which grows with every change. */
export const petVersions = ["ALTER TABLE petstore.pets ADD COLUMN IF NOT EXISTS version BIGINT NOT NULL DEFAULT 1"];

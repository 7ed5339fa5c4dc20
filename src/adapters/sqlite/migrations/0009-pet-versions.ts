/** Adds a version to pets, which grows with every change. The index by status goes on covering all columns. */
export const petVersions = `
ALTER TABLE pets ADD COLUMN version INTEGER NOT NULL DEFAULT 1;
DROP INDEX pets_by_status;
CREATE INDEX pets_by_status ON pets (status, id, name, category_id, version);
`;

/**
 * Indexes that contain whole pets: those of a category or with one name are scattered over the table. The index by category
 * and status also gives the pets of a category in order, from its parts by status. A pet has few orders: one index finds
 * those of each status too.
 */
export const coveringIndexes = `
DROP INDEX pets_by_category;
DROP INDEX pets_by_category_and_status;
DROP INDEX pets_by_name;
CREATE INDEX pets_by_category ON pets (category_id, status, id, name, version);
CREATE INDEX pets_by_name ON pets (name_key, id, status, category_id, name, version);
DROP INDEX orders_by_pet_and_status;
`;

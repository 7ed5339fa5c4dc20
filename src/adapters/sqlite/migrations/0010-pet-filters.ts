/**
 * Indexes for the filters of a list. `name_key(name)` is the function of `nameKey` in the domain. An index that ends with the
 * id gives each page in order.
 */
export const petFilters = `
ALTER TABLE pets ADD COLUMN name_key TEXT NOT NULL DEFAULT '';
UPDATE pets SET name_key = name_key(name);
CREATE INDEX pets_by_category ON pets (category_id, id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status, id);
CREATE INDEX pets_by_name ON pets (name_key, id);
`;

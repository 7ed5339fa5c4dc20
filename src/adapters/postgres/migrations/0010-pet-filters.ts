/** Indexes for the filters of a list. `fillNameKeys` fills the column, also for pets that nodes of an older version add. */
export const petFilters = [
  "ALTER TABLE petstore.pets ADD COLUMN IF NOT EXISTS name_key TEXT",
  "CREATE INDEX IF NOT EXISTS pets_by_category ON petstore.pets (category_id, id)",
  "CREATE INDEX IF NOT EXISTS pets_by_category_and_status ON petstore.pets (category_id, status, id)",
  "CREATE INDEX IF NOT EXISTS pets_by_name ON petstore.pets (name_key, id)",
];

/**
 * The other filters of a list as columns of the index by name: PostgreSQL compares them without reading the pets. A pet has
 * few orders: the index by pet finds those of each status too.
 */
export const filterIndexes = [
  "CREATE INDEX IF NOT EXISTS pets_by_name_and_filters ON petstore.pets (name_key, id, status, category_id)",
  "DROP INDEX IF EXISTS petstore.pets_by_name",
  "DROP INDEX IF EXISTS petstore.orders_by_pet_and_status",
];

const statuses = ["placed", "approved", "delivered", "cancelled"];
const count = (status: string) =>
  `${status} = CASE shard WHEN 0 THEN (SELECT count(*) FROM petstore.orders WHERE status = '${status}') ELSE 0 END`;

/**
 * Counts of orders by status, beside those of pets: an order and its pet are counted by one statement. The index by pet also
 * gives the orders of each status in order, and from these all of a pet.
 */
export const orderCounts = [
  `ALTER TABLE petstore.inventory ${statuses.map((status) => `ADD COLUMN IF NOT EXISTS ${status} BIGINT NOT NULL DEFAULT 0`).join(", ")}`,
  `UPDATE petstore.inventory SET ${statuses.map(count).join(", ")}`,
  "CREATE INDEX IF NOT EXISTS orders_by_pet_and_status ON petstore.orders (pet_id, status, id)",
  "DROP INDEX IF EXISTS petstore.orders_by_pet",
];

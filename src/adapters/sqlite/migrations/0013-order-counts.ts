/**
 * Counts of orders by status, beside those of pets: an order and its pet are counted by one statement. The index by pet also
 * gives the orders of each status in order, and from these all of a pet. It finds the order that holds a pet too: only one
 * transaction at a time writes the file, so the check that a pet is available needs no unique index behind it.
 */
export const orderCounts = `
ALTER TABLE inventory ADD COLUMN placed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inventory ADD COLUMN approved INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inventory ADD COLUMN delivered INTEGER NOT NULL DEFAULT 0;
ALTER TABLE inventory ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
UPDATE inventory SET
  placed = (SELECT count(*) FROM orders WHERE status = 'placed'),
  approved = (SELECT count(*) FROM orders WHERE status = 'approved'),
  delivered = (SELECT count(*) FROM orders WHERE status = 'delivered'),
  cancelled = (SELECT count(*) FROM orders WHERE status = 'cancelled')
WHERE shard = 0;
DROP INDEX orders_holding;
DROP INDEX orders_by_pet;
CREATE INDEX orders_by_pet ON orders (pet_id, status, id);
`;

import type { OrderCounts } from "../../domain/orders/counts.ts";
import type { OrderStatus } from "../../domain/orders/order.ts";
import type { Inventory } from "../../domain/pets/inventory.ts";
import type { PetStatus } from "../../domain/pets/pet.ts";
import type { Row, Write } from "./sql.ts";

/**
 * The rows among which the counts of pets and orders are divided. A transaction changes one of them, so that on PostgreSQL
 * concurrent ones seldom wait for each other. The count of a status is their sum.
 */
export const SHARDS = 16;

export const SELECT_INVENTORY =
  "SELECT sum(available) AS available, sum(pending) AS pending, sum(sold) AS sold FROM petstore.inventory";

export const SELECT_ORDER_COUNTS = `SELECT sum(placed) AS placed, sum(approved) AS approved, sum(delivered) AS delivered,
  sum(cancelled) AS cancelled FROM petstore.inventory`;

export function inventoryOf(row: Row | undefined): Inventory {
  return { available: Number(row?.available), pending: Number(row?.pending), sold: Number(row?.sold) };
}

export function orderCountsOf(row: Row | undefined): OrderCounts {
  return {
    placed: Number(row?.placed),
    approved: Number(row?.approved),
    delivered: Number(row?.delivered),
    cancelled: Number(row?.cancelled),
  };
}

/** What a transaction adds to the number of pets or orders of a status. */
type Changes = Partial<Record<PetStatus | OrderStatus, number>>;

/** Returns the statement that counts changes, for the end of their transaction: it locks a row that others need too. */
export function count(changes: Changes): Write {
  const sums = Object.keys(changes).map((status) => `${status} = ${status} + :${status}`);
  return {
    text: `UPDATE petstore.inventory SET ${sums.join(", ")} WHERE shard = :shard`,
    values: { ...changes, shard: anyShard() },
  };
}

/** What a change of status adds: from nothing for what is new, to nothing for what is removed. */
export function difference<Status extends PetStatus | OrderStatus>(
  before: Status | undefined,
  after: Status | undefined,
): Changes {
  if (before === after) return {};
  return { ...(before !== undefined && { [before]: -1 }), ...(after !== undefined && { [after]: 1 }) };
}

export function anyShard(): number {
  return Math.floor(Math.random() * SHARDS);
}

import { difference, type Inventory } from "../../domain/pets/inventory.ts";
import type { PetStatus } from "../../domain/pets/pet.ts";
import type { Row, Write } from "./sql.ts";

/**
 * The rows among which the counts of the inventory are divided. A transaction changes one of them, so that on PostgreSQL
 * concurrent ones seldom wait for each other. The inventory is their sum.
 */
export const SHARDS = 16;

export const SELECT_INVENTORY =
  "SELECT sum(available) AS available, sum(pending) AS pending, sum(sold) AS sold FROM petstore.inventory";

export function inventoryOf(row: Row | undefined): Inventory {
  return { available: Number(row?.available), pending: Number(row?.pending), sold: Number(row?.sold) };
}

/** Returns the statement that counts a change, for the end of its transaction: it locks a row that others need too. */
export function count(change: Inventory): Write {
  return {
    text: `UPDATE petstore.inventory SET available = available + :available, pending = pending + :pending, sold = sold + :sold
           WHERE shard = :shard`,
    values: { ...change, shard: anyShard() },
  };
}

/** The same for one pet: from nothing when it is added, to nothing when it is removed. */
export function countChange(before: PetStatus | undefined, after: PetStatus | undefined): Write {
  return count(difference(before, after));
}

export function anyShard(): number {
  return Math.floor(Math.random() * SHARDS);
}

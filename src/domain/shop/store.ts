import type { Entry } from "../audit/entry.ts";
import type { Shop } from "./shop.ts";

/** Replaces everything that clients see, at once. */
export interface ShopStore {
  /**
   * Removes all categories, pets, orders and idempotency keys, and adds those of a shop with the audit entry, in one
   * transaction: every reader sees the shop before or after. New pets and orders get ids above all that were given, and a
   * category that has the id of an earlier one gets a version that it never had. Keys, usage and the audit log stay. Returns
   * the ids of the pets, in their order. @throws service_unavailable
   */
  replace(shop: Shop, entry: Entry): Promise<number[]>;
}

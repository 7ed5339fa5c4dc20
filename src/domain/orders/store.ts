import type { Awaitable } from "../awaitable.ts";
import type { ChangeOptions, CreationOptions } from "../change-options.ts";
import type { IdempotentCreation } from "../idempotency-key.ts";
import type { Order as Direction } from "../pets/listing.ts";
import type { OrderCounts } from "./counts.ts";
import type { OrderStatus, StoredOrder } from "./order.ts";

/**
 * A page of orders: at most `limit`, ascending with ids above `after`, or descending with ids below it; of one status; for
 * one pet; among `ids`. The order is ascending if left out.
 */
export type OrdersPage = {
  limit: number;
  after?: bigint | undefined;
  order?: Direction | undefined;
  status?: OrderStatus | undefined;
  petId?: bigint | undefined;
  ids?: readonly bigint[] | undefined;
};

/**
 * Stores orders, which are never deleted. A pet has at most one order that is placed or approved, and is then pending: an
 * order and its pet change in one transaction. Every method throws service_unavailable. `now` is Unix ms.
 */
export interface OrderStore {
  /**
   * Orders an available pet, which becomes pending. With an idempotency key a repeated request orders nothing, and returns
   * the order as it was placed.
   * @throws pet_not_found, pet_not_available, idempotency_key_reused, idempotency_in_progress
   */
  place(petId: bigint, now: number, options?: CreationOptions<StoredOrder>): Promise<IdempotentCreation<StoredOrder>>;
  /**
   * Gives an order its next status. A delivered order makes its pet sold, a cancelled one available. `preconditions`: of
   * the order.
   * @throws order_not_found, precondition_failed, invalid_transition
   */
  update(id: bigint, status: OrderStatus, now: number, options?: ChangeOptions<StoredOrder>): Promise<StoredOrder>;
  get(id: bigint): Awaitable<StoredOrder | undefined>;
  list(page: OrdersPage): Awaitable<StoredOrder[]>;
  /** Exact, in constant time. */
  counts(): Awaitable<OrderCounts>;
}

import { changeEntry } from "../audit/change-entry.ts";
import type { Action, Author, EntryOf } from "../audit/entry.ts";
import type { Preconditions } from "../entity-tag.ts";
import type { IdempotencyKey, IdempotentCreation } from "../idempotency-key.ts";
import { type OrderStatus, orderJson, type StoredOrder } from "./order.ts";
import type { OrderStore } from "./store.ts";

/** Places and changes orders on behalf of `author`. Each change is stored with its audit entry. `now` is Unix ms. */
export class OrderAdministration {
  readonly #orders: OrderStore;
  readonly #author: Author;

  constructor(orders: OrderStore, author: Author) {
    this.#orders = orders;
    this.#author = author;
  }

  /** Orders an available pet. @throws what `OrderStore.place` throws */
  place(petId: bigint, now: number, key?: IdempotencyKey): Promise<IdempotentCreation<StoredOrder>> {
    return this.#orders.place(petId, now, { key, entryOf: this.#entryOf("order.place", now) });
  }

  /** Gives an order its next status. @throws what `OrderStore.update` throws */
  update(id: bigint, status: OrderStatus, now: number, preconditions?: Preconditions): Promise<StoredOrder> {
    return this.#orders.update(id, status, now, { preconditions, entryOf: this.#entryOf("order.update", now) });
  }

  #entryOf(action: Action, at: number): EntryOf<StoredOrder> {
    return changeEntry({ author: this.#author, action, at, json: orderJson });
  }
}

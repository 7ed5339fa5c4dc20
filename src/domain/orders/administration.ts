import { changeEntry } from "../audit/change-entry.ts";
import type { Author } from "../audit/entry.ts";
import type { EntityTags } from "../entity-tag.ts";
import { type OrderStatus, orderJson, type StoredOrder } from "./order.ts";
import type { OrderStore } from "./store.ts";

/** Changes orders on behalf of `author`. Each change is stored with its audit entry. `now` is Unix ms. */
export class OrderAdministration {
  readonly #orders: OrderStore;
  readonly #author: Author;

  constructor(orders: OrderStore, author: Author) {
    this.#orders = orders;
    this.#author = author;
  }

  /** Gives an order its next status. @throws what `OrderStore.update` throws */
  update(id: bigint, status: OrderStatus, now: number, tags?: EntityTags): Promise<StoredOrder> {
    const entryOf = changeEntry({ author: this.#author, action: "order.update", at: now, json: orderJson });
    return this.#orders.update(id, status, now, { tags, entryOf });
  }
}

import type { Author } from "../audit/entry.ts";
import type { Deployment } from "../deployment.ts";
import { PetstoreError } from "../errors.ts";
import type { Shop } from "./shop.ts";
import type { ShopStore } from "./store.ts";

/** What a shop has after it was reset. `firstPetId` is undefined if it has no pets. */
export type ShopReset = { pets: number; categories: number; orders: number; firstPetId: number | undefined };

/** Replaces the contents of a deployment on behalf of `author`. */
export class ShopAdministration {
  readonly #store: ShopStore;
  readonly #deployment: Deployment;
  readonly #author: Author;

  constructor(store: ShopStore, deployment: Deployment, author: Author) {
    this.#store = store;
    this.#deployment = deployment;
    this.#author = author;
  }

  /** @throws invalid_state on production */
  requireStaging(): void {
    if (this.#deployment === "staging") return;
    const message = `This is ${this.#deployment}. Only staging can be reset: nothing was changed.`;
    throw new PetstoreError("invalid_state", { message });
  }

  /**
   * Removes all categories, pets and orders, and adds those of a shop, at `now` (Unix ms). Keys, usage and the audit log stay.
   * @throws invalid_state on production, service_unavailable
   */
  async reset(shop: Shop, now: number): Promise<ShopReset> {
    this.requireStaging();
    const counts = { pets: shop.pets.length, categories: shop.categories.length, orders: shop.orders.length };
    const [firstPetId] = await this.#store.replace(shop, {
      ...this.#author,
      at: now,
      action: "shop.replace",
      after: counts,
    });
    return { ...counts, firstPetId };
  }
}

import type { Category } from "../categories/category.ts";
import type { OrderStatus } from "../orders/order.ts";
import type { NewPet } from "../pets/pet.ts";

/** What a shop consists of. The store assigns the ids of pets and orders, in this order. */
export type Shop = { categories: Category[]; pets: NewPet[]; orders: ShopOrder[] };

/** An order of the pet at an index of `pets`. Times are Unix milliseconds. */
export type ShopOrder = { pet: number; status: OrderStatus; createdAt: number; updatedAt: number };

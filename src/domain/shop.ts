import type { Author, NewAuditEntry } from "./audit.ts";
import type { Category } from "./categories.ts";
import type { Deployment } from "./deployment.ts";
import { invalidState } from "./errors.ts";
import type { OrderStatus } from "./orders.ts";
import type { NewPet, PetStatus } from "./pets.ts";
import { type Random, randomFrom, shuffled } from "./random.ts";
import { sampleNames } from "./sample-names.ts";

/** What a shop consists of. The store assigns the ids of pets and orders, in this order. */
export type Shop = { categories: Category[]; pets: NewPet[]; orders: ShopOrder[] };

/** An order of the pet at an index of `pets`. Times are Unix milliseconds. */
type ShopOrder = { pet: number; status: OrderStatus; createdAt: number; updatedAt: number };

/** Seeds are 32-bit integers. */
export const MAX_SEED = 2 ** 32 - 1;
export const DEFAULT_SEED = 1;
export const DEFAULT_PETS = 200;

/** The orders of a shop were placed in this time before it was made, in ms. */
const PERIOD = 30 * 24 * 3_600_000;
/** An order changes at most so long after it was placed, in ms. */
const MAX_PROCESSING = 3 * 24 * 3_600_000;

/** The shares of the statuses of pets, and of the orders that led there; without a status there is none. */
const PET_SHARES: Shares<PetStatus> = [
  [0.6, "available"],
  [0.15, "pending"],
  [0.25, "sold"],
];
const ORDER_SHARES: Record<PetStatus, Shares<OrderStatus | undefined>> = {
  available: [
    [0.1, "cancelled"],
    [0.9, undefined],
  ],
  pending: [
    [0.5, "placed"],
    [0.35, "approved"],
    [0.15, undefined],
  ],
  sold: [
    [0.8, "delivered"],
    [0.2, undefined],
  ],
};

type Shares<T> = [share: number, item: T][];
type SampleOptions = { pets?: number; seed?: number; now: number };

export const sampleCategories: Category[] = sampleNames.map(({ category }, i) => ({
  id: BigInt(i + 1),
  name: category,
}));
const named = sampleNames.flatMap(({ names }, i) => names.map((name) => ({ name, categoryId: BigInt(i + 1) })));

/**
 * Returns a shop whose orders were placed in the 30 days before `now` (Unix ms). The same options give the same shop, on
 * every runtime; with more pets it begins with the same ones. Names repeat after 200 pets.
 */
export function sampleShop({ pets: count = DEFAULT_PETS, seed = DEFAULT_SEED, now }: SampleOptions): Shop {
  const random = randomFrom(seed);
  const names = shuffled(named, random);
  const pets: NewPet[] = [];
  const orders: ShopOrder[] = [];
  for (let i = 0; i < count; i++) {
    const pet = names[i % names.length];
    if (pet === undefined) break;
    const status = shareOf(PET_SHARES, random());
    pets.push({ ...pet, status });
    // Drawn for each pet, so that the next one does not depend on whether this one has an order.
    const times = orderTimes(random, now);
    const orderStatus = shareOf(ORDER_SHARES[status], random());
    if (orderStatus !== undefined) orders.push({ pet: i, status: orderStatus, ...times(orderStatus) });
  }
  return { categories: sampleCategories, pets, orders: orders.toSorted((a, b) => a.createdAt - b.createdAt) };
}

function orderTimes(random: Random, now: number): (status: OrderStatus) => Pick<ShopOrder, "createdAt" | "updatedAt"> {
  const createdAt = now - 1 - Math.floor(random() * PERIOD);
  const processed = createdAt + Math.floor(random() * Math.min(MAX_PROCESSING, now - createdAt));
  return (status) => ({ createdAt, updatedAt: status === "placed" ? createdAt : processed });
}

/** Returns the item in whose share a number from 0 to below 1 is. */
function shareOf<T>(shares: Shares<T>, number: number): T {
  let rest = number;
  for (const [share, item] of shares) {
    if (rest < share) return item;
    rest -= share;
  }
  // Shares may add up to slightly less than 1.
  return (shares.at(-1) as Shares<T>[number])[1];
}

/** Who resets a shop, and when (Unix ms). */
export type ResetOptions = { by: Author; now: number };

/** Replaces everything that clients see, at once. */
export interface ShopStore {
  /**
   * Removes all categories, pets, orders and idempotency keys, and adds those of a shop with the audit entry, in one
   * transaction: every reader sees the shop before or after. New pets and orders get ids above all that were given, and a
   * category that has the id of an earlier one gets a version that it never had. Keys, usage and the audit log stay. Returns
   * the ids of the pets, in their order. @throws service_unavailable
   */
  replace(shop: Shop, options: ResetOptions): Promise<number[]>;
}

/** What a shop has after it was reset. `firstPetId` is undefined if it has no pets. */
export type ShopReset = { pets: number; categories: number; orders: number; firstPetId: number | undefined };

/** @throws invalid_state on production */
export function requireStaging(deployment: Deployment): void {
  if (deployment === "staging") return;
  throw invalidState(`This is ${deployment}. Only staging can be reset: nothing was changed.`);
}

/** How much a shop has of everything. */
function countsOf({ pets, categories, orders }: Shop): Omit<ShopReset, "firstPetId"> {
  return { pets: pets.length, categories: categories.length, orders: orders.length };
}

export function resetEntry(shop: Shop, { by, now }: ResetOptions): NewAuditEntry {
  return { ...by, at: now, action: "shop.replace", after: countsOf(shop) };
}

/**
 * Removes all categories, pets and orders of a deployment, and adds those of a shop. Keys, usage and the audit log stay.
 * @throws invalid_state on production, service_unavailable
 */
export async function resetShop(
  store: ShopStore,
  deployment: Deployment,
  shop: Shop,
  options: ResetOptions,
): Promise<ShopReset> {
  requireStaging(deployment);
  const [firstPetId] = await store.replace(shop, options);
  return { ...countsOf(shop), firstPetId };
}

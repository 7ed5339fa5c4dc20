import { z } from "zod";
import type { Author } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import type { IdempotencyKey, IdempotentCreation, Preconditions } from "./changes.ts";
import { PetstoreError } from "./errors.ts";
import { type Direction, PAGE, type PetStatus, type StoredPet, withStatus } from "./pets.ts";
import { anyInt64, assignedId, reference } from "./schemas.ts";
import { timestampOf } from "./time.ts";
import { orderTransitions, requireTransition } from "./transitions.ts";

/** docs/interface.md, Orders: OrderStatus. */
export const OrderStatus = z
  .enum(["placed", "approved", "delivered", "cancelled"], {
    error: (issue) =>
      issue.input === undefined ? "is required" : "must be one of placed, approved, delivered, cancelled",
  })
  .meta({ id: "OrderStatus", description: "Where an order stands.", examples: ["placed"] });

export type OrderStatus = z.infer<typeof OrderStatus>;

/** docs/interface.md, Orders: the body that places an order. Unknown fields are ignored. */
export const NewOrder = z
  .object({ petId: anyInt64("The id of an available pet.") }, { error: "must be a JSON object with petId" })
  .meta({
    id: "NewOrder",
    description: "The request body that places an order. Unknown fields are ignored.",
    examples: [{ petId: 1 }],
  });

export type NewOrder = z.infer<typeof NewOrder>;

/** The body that changes an order. Unknown fields are ignored. */
export const OrderPatch = z
  .object({ status: reference(OrderStatus) }, { error: "must be a JSON object with status" })
  .meta({
    id: "OrderPatch",
    description: "The next status of an order. Unknown fields are ignored.",
    examples: [{ status: "approved" }],
  });

export type OrderPatch = z.infer<typeof OrderPatch>;

export const exampleOrder = {
  id: 1,
  petId: 1,
  status: "placed",
  createdAt: "2026-12-02T10:00:00.000Z",
  updatedAt: "2026-12-02T10:00:00.000Z",
} as const;

const time = (description: string) => z.iso.datetime().meta({ description, examples: [exampleOrder.createdAt] });

/** docs/interface.md, Orders: Order. */
export const Order = z
  .object({
    id: assignedId("Assigned by the service. Positive, increasing, below 2^53."),
    petId: assignedId("The pet that was ordered. It may have been removed since."),
    status: OrderStatus,
    createdAt: time("When the order was placed."),
    updatedAt: time("When the order last changed."),
  })
  .meta({ id: "Order", description: "An order of one pet.", examples: [exampleOrder] });

export const Orders = z.array(Order).max(PAGE.max).meta({ id: "Orders", description: "Orders, by id, ascending." });

/** An order as it is stored. Times are Unix milliseconds; `version` is 1 at first, and grows by 1 with every change. */
export type StoredOrder = {
  id: number;
  petId: number;
  status: OrderStatus;
  createdAt: number;
  updatedAt: number;
  version: number;
};

export function orderJson({ id, petId, status, createdAt, updatedAt }: StoredOrder): z.infer<typeof Order> {
  return { id, petId, status, createdAt: timestampOf(createdAt), updatedAt: timestampOf(updatedAt) };
}

/** What becomes of the pet when its order gets this status. */
const petStatusAfter: Partial<Record<OrderStatus, PetStatus>> = { delivered: "sold", cancelled: "available" };

/** The statuses of an order that holds its pet. A pet has at most one such order, and is then pending. */
export const holding = ["placed", "approved"] as const satisfies readonly OrderStatus[];

/** Returns the pet after an order for it was placed. @throws pet_not_available unless it is available */
export function reserved(pet: StoredPet): StoredPet {
  if (pet.status === "available") return withStatus(pet, "pending");
  const message = `This pet is ${pet.status}. Only an available pet can be ordered.`;
  throw new PetstoreError("pet_not_available", { message });
}

/** Returns the order that was placed at `now` (Unix ms). */
export function placed(id: number, petId: number, now: number): StoredOrder {
  return { id, petId, status: "placed", createdAt: now, updatedAt: now, version: 1 };
}

/** Returns the order with its next status at `now` (Unix ms). @throws invalid_transition, naming what is allowed */
export function advanced(order: StoredOrder, status: OrderStatus, now: number): StoredOrder {
  requireTransition("An order", orderTransitions, order.status, status);
  // The clock of the node may be behind that of the node before.
  return { ...order, status, updatedAt: Math.max(now, order.updatedAt), version: order.version + 1 };
}

/** Returns the pet after its order got this status, which may leave it as it is. */
export function petAfter(pet: StoredPet, status: OrderStatus): StoredPet {
  const next = petStatusAfter[status];
  return next === undefined ? pet : withStatus(pet, next);
}

export type OrderCounts = Record<OrderStatus, number>;

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

export type PlacementOptions = { by?: Author | undefined; key?: IdempotencyKey | undefined };

/** Who changes an order, and the state that it must have. */
export type OrderUpdateOptions = { by?: Author | undefined; preconditions?: Preconditions | undefined };

/**
 * Stores orders, which outlive their pets. A pet has at most one order that is placed or approved, and is then pending: an
 * order and its pet change in one transaction; with it is stored the audit entry of a change of an author. Every method
 * throws service_unavailable. `now` is Unix ms.
 */
export interface OrderStore {
  /**
   * Orders an available pet, which becomes pending. With an idempotency key a repeated request orders nothing, and returns
   * the order as it was placed.
   * @throws pet_not_found, pet_not_available, idempotency_key_reused, idempotency_in_progress
   */
  place(petId: bigint, now: number, options?: PlacementOptions): Promise<IdempotentCreation<StoredOrder>>;
  /**
   * Gives an order its next status. A delivered order makes its pet sold, a cancelled one available. `preconditions`: of
   * the order.
   * @throws order_not_found, precondition_failed, invalid_transition
   */
  update(id: bigint, status: OrderStatus, now: number, options?: OrderUpdateOptions): Promise<StoredOrder>;
  get(id: bigint): Awaitable<StoredOrder | undefined>;
  list(page: OrdersPage): Awaitable<StoredOrder[]>;
  /** Exact, in constant time. */
  counts(): Awaitable<OrderCounts>;
}

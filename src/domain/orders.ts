import { z } from "zod";
import type { Author } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import type { IdempotencyKey, IdempotentCreation, Preconditions } from "./changes.ts";
import { PetstoreError } from "./errors.ts";
import { exactInteger } from "./json.ts";
import { type Direction, PAGE, Pet, type PetStatus, type StoredPet, withStatus } from "./pets.ts";
import { anyInt64, assignedId, nameUpTo, reference } from "./schemas.ts";
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

export const orderReference = nameUpTo(
  100,
  "Your own number or name of the order, stored exactly as sent.",
  "2026-0815",
);

/** docs/interface.md, Orders: the body that places an order. Unknown fields are ignored. */
export const NewOrder = z
  .object(
    { petId: anyInt64("The id of an available pet."), reference: orderReference.schema.optional() },
    { error: "must be a JSON object with petId and optionally reference" },
  )
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
  pet: { name: "Rex", categoryId: 1 },
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
    pet: Pet.pick({ name: true, categoryId: true })
      .nullable()
      .meta({
        description:
          "The pet as it was when it was ordered. Null for an order from before orders kept it, whose pet had been removed.",
        examples: [exampleOrder.pet],
      }),
    status: OrderStatus,
    reference: orderReference.schema.optional(),
    createdAt: time("When the order was placed."),
    updatedAt: time("When the order last changed."),
    expiresAt: time(
      "When the order, unless it is approved before, is cancelled by itself. Only a placed order has it, and only where orders expire.",
    ).optional(),
  })
  .meta({ id: "Order", description: "An order of one pet.", examples: [exampleOrder] });

export const Orders = z.array(Order).max(PAGE.max).meta({ id: "Orders", description: "Orders, by id, ascending." });

/** An order as it is stored. Times are Unix milliseconds; `version` is 1 at first, and grows by 1 with every change. */
export type StoredOrder = {
  id: number;
  petId: number;
  pet: Pick<Pet, "name" | "categoryId"> | null;
  status: OrderStatus;
  reference?: string | undefined;
  createdAt: number;
  updatedAt: number;
  /** It stays when the order changes. */
  expiresAt?: number | undefined;
  version: number;
};

/** An order for JSON.stringify, which writes `categoryId` with all its digits. */
export function orderJson(order: StoredOrder) {
  const { id, petId, pet, status, reference, createdAt, updatedAt, expiresAt } = order;
  return {
    id,
    petId,
    pet: pet && { name: pet.name, categoryId: exactInteger(pet.categoryId) },
    status,
    ...(reference !== undefined && { reference }),
    createdAt: timestampOf(createdAt),
    updatedAt: timestampOf(updatedAt),
    ...(status === "placed" && expiresAt !== undefined && { expiresAt: timestampOf(expiresAt) }),
  };
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

/** What an order says for good. */
export type Placement = Pick<StoredOrder, "petId" | "pet" | "reference" | "createdAt" | "expiresAt">;

/** Returns what the order of this pet says when it is placed at `now` (Unix ms). `lifetime`: how long it may be placed, in ms. */
export function placementOf(
  { id, name, categoryId }: StoredPet,
  { now, reference }: PlacementOptions & { now: number },
  lifetime?: number,
): Placement {
  const expiresAt = lifetime === undefined ? undefined : now + lifetime;
  return { petId: id, pet: { name, categoryId }, reference, createdAt: now, expiresAt };
}

/** Returns the order as it is when it is placed, or was, if it has changed since. */
export function placed(order: Placement & { id: number }): StoredOrder {
  return { ...order, status: "placed", updatedAt: order.createdAt, version: 1 };
}

/** Returns the order with its next status at `now` (Unix ms). @throws invalid_transition, naming what is allowed */
export function advanced(order: StoredOrder, status: OrderStatus, now: number): StoredOrder {
  requireTransition("An order", orderTransitions, order.status, status);
  // The clock of the node may be behind that of the node before.
  return { ...order, status, updatedAt: Math.max(now, order.updatedAt), version: order.version + 1 };
}

/** Whether an order was cancelled because its time was over. One that was approved before has a later version. */
export function hasExpired({ status, version, updatedAt, expiresAt = Infinity }: StoredOrder): boolean {
  return status === "cancelled" && version === 2 && updatedAt >= expiresAt;
}

/** Returns the pet after its order got this status, which may leave it as it is. */
export function petAfter(pet: StoredPet, status: OrderStatus): StoredPet {
  const next = petStatusAfter[status];
  return next === undefined ? pet : withStatus(pet, next);
}

export type OrderCounts = Record<OrderStatus, number>;

/**
 * A page of orders: at most `limit`, ascending with ids above `after`, or descending with ids below it; of one status; for
 * one pet; with one reference; among `ids`. The order is ascending if left out.
 */
export type OrdersPage = {
  limit: number;
  after?: bigint | undefined;
  order?: Direction | undefined;
  status?: OrderStatus | undefined;
  petId?: bigint | undefined;
  reference?: string | undefined;
  ids?: readonly bigint[] | undefined;
};

/** Who places an order, by which request, with which idempotency key, and the buyer's own number of the order. */
export type PlacementOptions = {
  by?: Author | undefined;
  requestId?: string | undefined;
  key?: IdempotencyKey | undefined;
  reference?: string | undefined;
};

/** Who changes an order, by which request, and the state that it must have. */
export type OrderUpdateOptions = {
  by?: Author | undefined;
  requestId?: string | undefined;
  preconditions?: Preconditions | undefined;
};

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
   * Gives an order its next status. A delivered order makes its pet sold, a cancelled one available. To cancel one that has
   * expired changes nothing. `preconditions`: of the order.
   * @throws order_not_found, precondition_failed, invalid_transition
   */
  update(id: bigint, status: OrderStatus, now: number, options?: OrderUpdateOptions): Promise<StoredOrder>;
  /**
   * Cancels a batch of the placed orders that have expired at `now`, each once, however many processes do. Returns their number: 0 when
   * there are no more.
   */
  expire(now: number): Awaitable<number>;
  get(id: bigint): Awaitable<StoredOrder | undefined>;
  list(page: OrdersPage): Awaitable<StoredOrder[]>;
  /** Exact, in constant time. */
  counts(): Awaitable<OrderCounts>;
}

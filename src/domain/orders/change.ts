import { PetstoreError } from "../errors.ts";
import { withStatus } from "../pets/change.ts";
import type { PetStatus, StoredPet } from "../pets/pet.ts";
import { requireTransition } from "../transition.ts";
import type { OrderStatus, StoredOrder } from "./order.ts";
import { orderTransitions } from "./transitions.ts";

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

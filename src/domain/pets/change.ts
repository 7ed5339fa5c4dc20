import { PetstoreError } from "../errors.ts";
import { requireTransition } from "../transition.ts";
import type { PetPatch, PetStatus, StoredPet } from "./pet.ts";
import { petTransitions } from "./transitions.ts";

/**
 * Returns the pet after a change: with the next version, or as it is if nothing changes. `holder` is the id of the order
 * that holds the pet, if one does: then the status is the order's business.
 * @throws pet_reserved, naming the order; invalid_transition, naming the statuses that are allowed
 */
export function changed(
  pet: StoredPet,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetPatch,
  holder?: number,
): StoredPet {
  if (isSame(pet, { name, categoryId, status })) return pet;
  if (status !== pet.status) {
    requireNotReserved(holder);
    requireTransition("A pet", petTransitions, pet.status, status);
  }
  return { ...pet, name, categoryId, status, version: pet.version + 1 };
}

/** Whether a pet has what a change gives it already. */
export function isSame(
  pet: StoredPet,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetPatch,
): boolean {
  return name === pet.name && categoryId === pet.categoryId && status === pet.status;
}

/** Whether a change takes a sold pet back: it then gets another status. */
export function takesBack(pet: StoredPet, { status = pet.status }: PetPatch): boolean {
  return pet.status === "sold" && status !== "sold";
}

/** @throws pet_reserved, naming the order that holds the pet, if one does */
export function requireNotReserved(holder: number | undefined): void {
  if (holder === undefined) return;
  const message = `Order ${holder} holds this pet. Deliver or cancel the order to change the pet's status or remove it.`;
  throw new PetstoreError("pet_reserved", { message });
}

/** Returns the pet with the status that its order gives it. */
export function withStatus(pet: StoredPet, status: PetStatus): StoredPet {
  return { ...pet, status, version: pet.version + 1 };
}

import { PetstoreError } from "../errors.ts";
import type { PetPatch, PetStatus, StoredPet } from "./pet.ts";

/** The statuses that follow each status. Source: docs/interface.md, Change a pet. */
const following: Record<PetStatus, readonly PetStatus[]> = {
  available: ["pending", "sold"],
  pending: ["available", "sold"],
  sold: ["available"],
};

/**
 * Returns the pet after a change: with the next version, or as it is if nothing changes.
 * @throws invalid_transition, naming the statuses that are allowed
 */
export function changed(
  pet: StoredPet,
  { name = pet.name, categoryId = pet.categoryId, status = pet.status }: PetPatch,
) {
  if (name === pet.name && categoryId === pet.categoryId && status === pet.status) return pet;
  requireTransition(pet.status, status);
  return { ...pet, name, categoryId, status, version: pet.version + 1 };
}

function requireTransition(from: PetStatus, to: PetStatus): void {
  if (from === to || following[from].includes(to)) return;
  const allowed = following[from].join(" or ");
  const message = `A pet that is ${from} cannot become ${to}, only ${allowed}.`;
  throw new PetstoreError("invalid_transition", { message });
}

/** @throws precondition_failed unless the version is among `versions`, if those are given */
export function requireVersion(version: number, versions: readonly number[] | undefined): void {
  if (versions?.includes(version) === false) throw new PetstoreError("precondition_failed");
}

import { unexpected } from "./errors.ts";
import type { PetStatus } from "./pet.ts";

/** The number of pets of each status. */
export type Inventory = { readonly [Status in PetStatus]: number };

/** Returns the inventory in a response. @throws ConnectionError when the value is not an inventory */
export function inventoryOf(value: unknown, requestId: string): Inventory {
  const { available, pending, sold } = Object(value);
  if (![available, pending, sold].every(Number.isSafeInteger)) {
    throw unexpected("The response is not an inventory.", 200, requestId);
  }
  return { available, pending, sold };
}

import { z } from "zod";
import type { PetStatus } from "./pet.ts";

const count = z.int().meta({ type: "integer", format: "int64", minimum: 0, examples: [12] });

/** docs/interface.md, Inventory: how many pets have each status. */
export const Inventory = z
  .object({
    available: count.meta({ description: "Pets that can be ordered." }),
    pending: count.meta({ description: "Pets that an order holds, or that were set aside." }),
    sold: count.meta({ description: "Pets that were sold." }),
  } satisfies Record<PetStatus, z.ZodType>)
  .meta({
    id: "Inventory",
    description: "How many pets of each status there are.",
    examples: [{ available: 12, pending: 3, sold: 5 }],
  });
export type Inventory = z.infer<typeof Inventory>;

/** The example inventory of the document. */
export const exampleInventory = { available: 12, pending: 3, sold: 5 } satisfies Inventory;

/** Counts pets by status. */
export function countByStatus(pets: Iterable<{ status: PetStatus }>): Inventory {
  const counts: Inventory = { available: 0, pending: 0, sold: 0 };
  for (const { status } of pets) counts[status] += 1;
  return counts;
}

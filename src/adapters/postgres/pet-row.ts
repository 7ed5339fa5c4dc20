import type { Pet, PetStatus } from "../../domain/pets/pet.ts";
import type { Row } from "./database.ts";

/** Only this service writes the table, and no column is NULL. */
export function petOf(row: Row): Pet {
  return {
    id: Number(row.id),
    name: String(row.name),
    categoryId: BigInt(row.category_id ?? 0),
    status: row.status as PetStatus,
  };
}

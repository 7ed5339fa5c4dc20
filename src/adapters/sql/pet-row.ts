import { FIRST_VERSION, type PetStatus, type StoredPet } from "../../domain/pets/pet.ts";
import type { Row } from "./sql.ts";

/** Only this service writes the tables, and no column is NULL. A stored creation has no column for the version. */
export function petOf(row: Row): StoredPet {
  return {
    id: Number(row.id),
    name: String(row.name),
    categoryId: BigInt(String(row.category_id)),
    status: row.status as PetStatus,
    version: Number(row.version ?? FIRST_VERSION),
  };
}

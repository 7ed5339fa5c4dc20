import { countByStatus } from "../../domain/pets/inventory.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import type { PetStatus } from "../../domain/pets/pet.ts";
import { count } from "../sql/inventory.ts";
import type { Session } from "./database.ts";
import { numbered } from "./numbered.ts";

const BATCH_SIZE = 5_000;
const FILL = `UPDATE petstore.pets SET name_key = filled.name_key
  FROM unnest($1::bigint[], $2::text[]) AS filled (id, name_key) WHERE pets.id = filled.id AND pets.name_key IS NULL
  RETURNING pets.status`;

/**
 * Fills the column `name_key` of pets that were added without it: by an older version, or before the column existed. They
 * were not counted in the inventory either.
 */
export async function fillNameKeys({ query }: Session): Promise<void> {
  for (;;) {
    const rows = await query(`SELECT id, name FROM petstore.pets WHERE name_key IS NULL LIMIT ${BATCH_SIZE}`);
    if (rows.length === 0) return;
    await query("BEGIN");
    const filled = await query(FILL, [rows.map(({ id }) => String(id)), rows.map(({ name }) => nameKey(String(name)))]);
    const { text, values } = count(countByStatus(filled.map(({ status }) => ({ status: status as PetStatus }))));
    const counted = numbered(text, values);
    await query(counted.text, counted.values);
    await query("COMMIT");
  }
}

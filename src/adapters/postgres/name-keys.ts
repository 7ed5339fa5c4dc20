import { nameKey } from "../../domain/pets/name-key.ts";
import type { Session } from "./database.ts";

const BATCH_SIZE = 5_000;

/** Fills the column `name_key` of pets that were added without it: by an older version, or before the column existed. */
export async function fillNameKeys({ query }: Session): Promise<void> {
  for (;;) {
    const rows = await query(`SELECT id, name FROM petstore.pets WHERE name_key IS NULL LIMIT ${BATCH_SIZE}`);
    if (rows.length === 0) return;
    await query(
      `UPDATE petstore.pets SET name_key = filled.name_key
       FROM unnest($1::bigint[], $2::text[]) AS filled (id, name_key) WHERE pets.id = filled.id AND pets.name_key IS NULL`,
      [rows.map(({ id }) => String(id)), rows.map(({ name }) => nameKey(String(name)))],
    );
  }
}

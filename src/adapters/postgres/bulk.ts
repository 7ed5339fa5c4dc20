import { type BulkPets, SNAPSHOT_PAGE } from "../../domain/pets/bulk.ts";
import { DEFAULT_STATUS, type NewPet, type PetStatus, type StoredPet } from "../../domain/pets/pet.ts";
import { petOf } from "../sql/pet-row.ts";
import type { Database } from "./database.ts";
import type { PostgresPets } from "./pets.ts";

const PAGE = `SELECT id, name, category_id, status, version FROM petstore.pets
  WHERE id > $1 AND ($3::text IS NULL OR status = $3) ORDER BY id LIMIT $2`;

/** Bulk import and export of pets in PostgreSQL. */
export class PostgresBulk implements BulkPets {
  readonly #database: Database;
  readonly #pets: PostgresPets;

  constructor(database: Database, pets: PostgresPets) {
    this.#database = database;
    this.#pets = pets;
  }

  async add(pets: NewPet[]): Promise<void> {
    await this.#pets.insert(
      pets.map(({ name, categoryId, status = DEFAULT_STATUS }) => ({ name, categoryId, status })),
    );
  }

  async *snapshot(status?: PetStatus): AsyncGenerator<StoredPet[]> {
    const session = await this.#database.session();
    try {
      await session.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY");
      let after = 0;
      for (;;) {
        const page = (await session.query(PAGE, [after, SNAPSHOT_PAGE, status ?? null])).map(petOf);
        const last = page.at(-1);
        if (last === undefined) return;
        yield page;
        after = last.id;
      }
    } finally {
      await session.end();
    }
  }
}

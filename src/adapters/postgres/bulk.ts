import type { Entry } from "../../domain/audit/entry.ts";
import { toJson } from "../../domain/json/write.ts";
import { type BulkPets, SNAPSHOT_PAGE } from "../../domain/pets/bulk.ts";
import { DEFAULT_STATUS, type NewPet, type Pet, type PetStatus } from "../../domain/pets/pet.ts";
import { insertEntry } from "../sql/audit.ts";
import type { Database } from "./database.ts";
import { petOf } from "./pet-row.ts";
import { begin, EXPORT } from "./timeouts.ts";

const ADD = `INSERT INTO petstore.pets (name, category_id, status)
  SELECT name, category_id, status
  FROM json_to_recordset(CAST(:pets AS json)) AS pet (name text, category_id bigint, status text)`;
const PAGE = `SELECT id, name, category_id, status FROM petstore.pets
  WHERE id > $1 AND ($3::text IS NULL OR status = $3) ORDER BY id LIMIT $2`;

/** Bulk import and export of pets in PostgreSQL. */
export class PostgresBulk implements BulkPets {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  async add(pets: NewPet[], entry: Entry): Promise<void> {
    const rows = pets.map(({ name, categoryId, status = DEFAULT_STATUS }) => ({
      name,
      category_id: categoryId,
      status,
    }));
    await this.#database.commit({ text: ADD, values: { pets: toJson(rows) } }, insertEntry(entry));
  }

  async *snapshot(status?: PetStatus): AsyncGenerator<Pet[]> {
    const session = await this.#database.session();
    try {
      await session.query(begin(EXPORT, 0));
      await session.query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY");
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

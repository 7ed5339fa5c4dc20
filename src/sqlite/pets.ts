import type { StatementSync } from "node:sqlite";
import type { Page } from "../pets/listing.ts";
import { DEFAULT_STATUS, type NewPet, type Pet, type PetStatus } from "../pets/pet.ts";
import type { PetStore } from "../pets/store.ts";
import { type Database, read } from "./database.ts";

const COLUMNS = "id, name, category_id, status";

/** Animals in a SQLite file. Reading answers at once; creating shares commits. */
export class SqlitePets implements PetStore {
  readonly #database: Database;
  readonly #insert: StatementSync;
  readonly #byId: StatementSync;
  readonly #pages: Record<"all" | "ofStatus" | "amongIds" | "amongIdsOfStatus", StatementSync>;

  constructor(database: Database) {
    this.#database = database;
    this.#insert = database.prepareWrite("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
    const select = (where: string) => {
      const statement = database.reader.prepare(`SELECT ${COLUMNS} FROM pets WHERE ${where}`);
      statement.setReadBigInts(true);
      return statement;
    };
    const among = "id IN (SELECT value FROM json_each(?))";
    this.#byId = select("id = ?");
    this.#pages = {
      all: select("id > ? ORDER BY id LIMIT ?"),
      ofStatus: select("status = ? AND id > ? ORDER BY id LIMIT ?"),
      amongIds: select(`${among} AND id > ? ORDER BY id LIMIT ?`),
      amongIdsOfStatus: select(`${among} AND status = ? AND id > ? ORDER BY id LIMIT ?`),
    };
  }

  create(pet: NewPet): Promise<Pet> {
    return this.#database.write(() => this.insert(pet));
  }

  /** Adds an animal inside a transaction that the caller runs with `Database.write`. */
  insert({ name, categoryId, status = DEFAULT_STATUS }: NewPet): Pet {
    const { lastInsertRowid } = this.#insert.run(name, categoryId, status);
    return { id: Number(lastInsertRowid), name, categoryId, status };
  }

  get(id: bigint): Pet | undefined {
    const row = read(() => this.#byId.get(id));
    return row && petOf(row);
  }

  list({ limit, after, status, ids }: Page): Pet[] {
    return read(() => {
      if (ids === undefined) {
        if (status === undefined) return this.#pages.all.all(after, limit);
        return this.#pages.ofStatus.all(status, after, limit);
      }
      const among = `[${ids.join(",")}]`;
      if (status === undefined) return this.#pages.amongIds.all(among, after, limit);
      return this.#pages.amongIdsOfStatus.all(among, status, after, limit);
    }).map(petOf);
  }

  revision(): number {
    return this.#database.revision;
  }
}

type Row = ReturnType<StatementSync["all"]>[number];

/** The table is strict and its checks are ours, so the columns are what they say. */
function petOf(row: Row): Pet {
  return {
    id: Number(row.id),
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status: row.status as PetStatus,
  };
}

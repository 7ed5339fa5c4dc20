import type { StatementSync } from "node:sqlite";
import type { IdempotencyKey, IdempotentCreation } from "../../domain/pets/idempotency-key.ts";
import type { Order, Page } from "../../domain/pets/listing.ts";
import {
  DEFAULT_STATUS,
  FIRST_VERSION,
  type NewPet,
  type PetPatch,
  type PetStatus,
  type StoredPet,
} from "../../domain/pets/pet.ts";
import type { PetStore } from "../../domain/pets/store.ts";
import { SqlPetChanges } from "../sql/pet-changes.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";
import { SqliteIdempotencyKeys } from "./idempotency-keys.ts";

/** All columns except the status: in a page of one status it is known, and reading it takes longer than finding the pet. */
const COLUMNS = "id, name, category_id, version";

/** Pets in a SQLite file. Reads are synchronous; creations share commits. */
export class SqlitePets implements PetStore {
  readonly #database: Database;
  readonly #creations: SqliteIdempotencyKeys;
  readonly #changes: SqlPetChanges;
  readonly #insert: StatementSync;
  readonly #byId: StatementSync;
  readonly #pages: Record<Order, PageStatements>;

  constructor(database: Database) {
    this.#database = database;
    this.#creations = new SqliteIdempotencyKeys(database);
    this.#changes = new SqlPetChanges(database);
    this.#insert = database.prepare("INSERT INTO pets (name, category_id, status) VALUES (?, ?, ?)");
    this.#byId = select(database, "id = ?");
    this.#pages = {
      asc: pageStatements(database, "id > ? ORDER BY id LIMIT ?"),
      desc: pageStatements(database, "id < ? ORDER BY id DESC LIMIT ?"),
    };
  }

  create(pet: NewPet): Promise<StoredPet> {
    return this.#database.write(() => this.insert(pet));
  }

  createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation> {
    return this.#creations.create(pet, key, () => this.insert(pet));
  }

  forgetIdempotencyKeys(time: number): Promise<number> {
    return this.#creations.forget(time);
  }

  /** Adds a pet. Call it within `Database.write`. */
  insert({ name, categoryId, status = DEFAULT_STATUS }: NewPet): StoredPet {
    const { lastInsertRowid } = this.#insert.run(name, categoryId, status);
    return { id: Number(lastInsertRowid), name, categoryId, status, version: FIRST_VERSION };
  }

  get(id: bigint): StoredPet | undefined {
    const row = read(() => this.#byId.get(id));
    return row && petOf(row);
  }

  list({ limit, after, order = "asc", status, ids }: Page): StoredPet[] {
    const among = ids && `[${ids.join(",")}]`;
    const { all, ofStatus, amongIds, amongIdsOfStatus } = this.#pages[order];
    return read(() => {
      if (status === undefined) {
        const rows = among === undefined ? all.all(after, limit) : amongIds.all(among, after, limit);
        return rows.map((row) => petOf(row));
      }
      const rows =
        among === undefined ? ofStatus.all(status, after, limit) : amongIdsOfStatus.all(among, status, after, limit);
      return rows.map((row) => petOf(row, status));
    });
  }

  update(id: bigint, patch: PetPatch, versions?: readonly number[]): Promise<StoredPet> {
    return this.#changes.update(id, patch, versions);
  }

  delete(id: bigint, versions?: readonly number[]): Promise<void> {
    return this.#changes.delete(id, versions);
  }

  revision(): number {
    return this.#database.revision;
  }
}

type PageStatements = Record<"all" | "ofStatus" | "amongIds" | "amongIdsOfStatus", StatementSync>;

/** `rest`: where a page begins, its order and its size. */
function pageStatements(database: Database, rest: string): PageStatements {
  const among = "id IN (SELECT value FROM json_each(?))";
  return {
    all: select(database, rest),
    ofStatus: select(database, `status = ? AND ${rest}`, COLUMNS),
    amongIds: select(database, `${among} AND ${rest}`),
    amongIdsOfStatus: select(database, `${among} AND status = ? AND ${rest}`, COLUMNS),
  };
}

function select(database: Database, where: string, columns = `${COLUMNS}, status`): StatementSync {
  const statement = database.prepare(`SELECT ${columns} FROM pets WHERE ${where}`);
  statement.setReadBigInts(true);
  return statement;
}

type Row = ReturnType<StatementSync["all"]>[number];

/** The table is strict and only this service writes it, so the columns have valid values. */
export function petOf(row: Row, status = statusOf(row)): StoredPet {
  return {
    id: Number(row.id),
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status,
    version: Number(row.version),
  };
}

function statusOf(row: Row): PetStatus {
  return row.status as PetStatus;
}

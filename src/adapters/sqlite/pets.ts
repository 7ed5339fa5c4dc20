import type { StatementSync } from "node:sqlite";
import type { Entry } from "../../domain/audit/entry.ts";
import type { IdempotencyKey, IdempotentCreation } from "../../domain/pets/idempotency-key.ts";
import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import {
  DEFAULT_STATUS,
  FIRST_VERSION,
  type NewPet,
  type Pet,
  type PetPatch,
  type PetStatus,
  type StoredPet,
} from "../../domain/pets/pet.ts";
import type { PetStore } from "../../domain/pets/store.ts";
import { insertEntry } from "../sql/audit.ts";
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
  readonly #pages: (shape: Shape) => StatementSync;

  constructor(database: Database) {
    this.#database = database;
    this.#creations = new SqliteIdempotencyKeys(database);
    this.#changes = new SqlPetChanges(database);
    this.#insert = database.prepare("INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)");
    this.#byId = select(database, "id = ?");
    this.#pages = pageStatements(database);
  }

  create(pet: NewPet): Promise<StoredPet> {
    return this.#database.write(() => this.insert(pet));
  }

  createAudited(pet: NewPet, entryOf: (pet: Pet) => Entry): Promise<StoredPet> {
    return this.#database.write(() => {
      const added = this.insert(pet);
      this.#database.run(insertEntry(entryOf(added)));
      return added;
    });
  }

  createIdempotently(pet: NewPet, key: IdempotencyKey): Promise<IdempotentCreation> {
    return this.#creations.create(pet, key, () => this.insert(pet));
  }

  forgetIdempotencyKeys(time: number): Promise<number> {
    return this.#creations.forget(time);
  }

  /** Adds a pet. Call it within `Database.write`. */
  insert({ name, categoryId, status = DEFAULT_STATUS }: NewPet): StoredPet {
    this.#database.ids.raise();
    const { lastInsertRowid } = this.#insert.run(name, categoryId, status, nameKey(name));
    return { id: Number(lastInsertRowid), name, categoryId, status, version: FIRST_VERSION };
  }

  get(id: bigint): StoredPet | undefined {
    const row = read(() => this.#byId.get(id));
    return row && petOf(row);
  }

  list(page: Page): StoredPet[] {
    const { limit, after, ids, status, categoryId, name } = page;
    const values = [
      ...(ids === undefined ? [] : [`[${ids.join(",")}]`]),
      ...(name === undefined ? [] : [nameKey(name)]),
      ...(categoryId === undefined ? [] : [categoryId]),
      ...(status === undefined ? [] : [status]),
    ];
    const statement = this.#pages(shapeOf(page));
    return read(() => statement.all(...values, after, limit)).map((row) => petOf(row, status));
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

/** The filters of a page, in the order of their parameters, and its order. */
type Shape = `${"i" | ""}${"n" | ""}${"c" | ""}${"s" | ""}${"<" | ">"}`;

function shapeOf({ ids, name, categoryId, status, order }: Page): Shape {
  return `${ids === undefined ? "" : "i"}${name === undefined ? "" : "n"}${categoryId === undefined ? "" : "c"}${status === undefined ? "" : "s"}${order === "desc" ? "<" : ">"}`;
}

/** Prepares the statement of each shape once, with the index that finds the fewest pets in the order of the page. */
function pageStatements(database: Database): (shape: Shape) => StatementSync {
  const statements = new Map<Shape, StatementSync>();
  return (shape) => {
    const known = statements.get(shape);
    if (known !== undefined) return known;
    const [hasIds, hasName, hasCategory, hasStatus] = ["i", "n", "c", "s"].map((filter) => shape.includes(filter));
    const conditions = [
      ...(hasIds ? ["id IN (SELECT value FROM json_each(?))"] : []),
      ...(hasName ? ["name_key = ?"] : []),
      ...(hasCategory ? ["category_id = ?"] : []),
      ...(hasStatus ? ["status = ?"] : []),
    ];
    const rest = shape.endsWith("<") ? "id < ? ORDER BY id DESC LIMIT ?" : "id > ? ORDER BY id LIMIT ?";
    const statement = select(database, [...conditions, rest].join(" AND "), {
      index: indexFor(shape),
      columns: hasStatus ? COLUMNS : `${COLUMNS}, status`,
    });
    statements.set(shape, statement);
    return statement;
  };
}

/** Without statistics SQLite prefers the index by status, which covers all columns, to one that finds fewer pets. */
function indexFor(shape: Shape): string {
  if (shape.startsWith("i")) return "NOT INDEXED";
  if (shape.startsWith("n")) return "INDEXED BY pets_by_name";
  if (shape.startsWith("cs")) return "INDEXED BY pets_by_category_and_status";
  if (shape.startsWith("c")) return "INDEXED BY pets_by_category";
  return shape.startsWith("s") ? "INDEXED BY pets_by_status" : "NOT INDEXED";
}

function select(
  database: Database,
  where: string,
  { index = "NOT INDEXED", columns = `${COLUMNS}, status` } = {},
): StatementSync {
  const statement = database.prepare(`SELECT ${columns} FROM pets ${index} WHERE ${where}`);
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

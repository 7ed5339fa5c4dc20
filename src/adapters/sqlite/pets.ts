import type { StatementSync } from "node:sqlite";
import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, FIRST_VERSION, type NewPet, type PetStatus, type StoredPet } from "../../domain/pets/pet.ts";
import { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { type PetRules, SqlPets } from "../sql/pets.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";

/** All columns except the status: in a page of one status it is known, and reading it takes longer than finding the pet. */
const COLUMNS = "id, name, category_id, version";

/** Pets in a SQLite file. Reads are synchronous; creations share commits. */
export class SqlitePets extends SqlPets {
  readonly #database: Database;
  readonly #insert: StatementSync;
  readonly #count: Record<PetStatus, StatementSync>;
  readonly #byId: StatementSync;
  readonly #pages = new Map<string, StatementSync>();

  constructor(
    database: Database,
    idempotencyKeys = new SqlIdempotencyKeys(database),
    rules: PetRules = { checksCategories: false },
  ) {
    super(database, idempotencyKeys, rules);
    this.#database = database;
    this.#insert = database.prepare("INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)");
    const count = (status: PetStatus) =>
      database.prepare(`UPDATE inventory SET ${status} = ${status} + 1 WHERE shard = 0`);
    this.#count = { available: count("available"), pending: count("pending"), sold: count("sold") };
    this.#byId = select(database, "id = ?");
  }

  protected add(pet: NewPet): Promise<StoredPet> {
    return this.#database.write(() => this.insert(pet));
  }

  /** Adds a pet. Call it within `Database.write`. */
  insert({ name, categoryId, status = DEFAULT_STATUS }: NewPet): StoredPet {
    this.#database.ids.raise();
    const { lastInsertRowid } = this.#insert.run(name, categoryId, status, nameKey(name));
    this.#count[status].run();
    return { id: Number(lastInsertRowid), name, categoryId, status, version: FIRST_VERSION };
  }

  get(id: bigint): StoredPet | undefined {
    const row = read(() => this.#byId.get(id));
    return row && petOf(row);
  }

  list({ limit, after, order, ids, name, categoryId, status }: Page): StoredPet[] {
    const filters: Filter[] = [];
    if (ids !== undefined) filters.push({ column: "id", value: `[${ids.join(",")}]` });
    if (name !== undefined) filters.push({ column: "name_key", value: nameKey(name) });
    if (categoryId !== undefined) filters.push({ column: "category_id", value: categoryId });
    if (status !== undefined) filters.push({ column: "status", value: status });
    const statement = this.#page(filters, order === "desc");
    const values = filters.map(({ value }) => value);
    return read(() => statement.all(...values, after, limit)).map((row) => petOf(row, status));
  }

  revision(): number {
    return this.#database.revision;
  }

  /** Returns the statement of a page, whose parameters are the values of the filters, where it begins, and its size. */
  #page(filters: Filter[], isDescending: boolean): StatementSync {
    const columns = filters.map(({ column }) => column);
    const shape = `${columns} ${isDescending}`;
    const known = this.#pages.get(shape);
    if (known !== undefined) return known;
    const conditions = columns.map((column) =>
      column === "id" ? "id IN (SELECT value FROM json_each(?))" : `${column} = ?`,
    );
    const rest = isDescending ? "id < ? ORDER BY id DESC LIMIT ?" : "id > ? ORDER BY id LIMIT ?";
    const statement = select(this.#database, [...conditions, rest].join(" AND "), {
      index: indexFor(columns),
      columns: columns.includes("status") ? COLUMNS : `${COLUMNS}, status`,
    });
    this.#pages.set(shape, statement);
    return statement;
  }
}

/** A condition of a page: the column has this value, or, for the id, one of the values in a JSON array. */
type Filter = { column: "id" | "name_key" | "category_id" | "status"; value: string | bigint };

/**
 * The index that finds the fewest pets in the order of the page. Without statistics SQLite prefers the index by status,
 * which covers all columns, to one that finds fewer pets.
 */
function indexFor([first, second]: Filter["column"][]): string {
  if (first === "name_key") return "INDEXED BY pets_by_name";
  if (first === "category_id") {
    return second === "status" ? "INDEXED BY pets_by_category_and_status" : "INDEXED BY pets_by_category";
  }
  return first === "status" ? "INDEXED BY pets_by_status" : "NOT INDEXED";
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

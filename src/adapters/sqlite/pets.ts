import type { StatementSync } from "node:sqlite";
import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, FIRST_VERSION, type NewPet, PetStatus, type StoredPet } from "../../domain/pets/pet.ts";
import { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { type PetRules, SqlPets } from "../sql/pets.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";

/** All columns except the status: in a page of one status it is known, and reading it takes longer than finding the pet. */
const COLUMNS = "id, name, category_id, version";
const WITH_STATUS = `${COLUMNS}, status`;

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
    this.#byId = prepare(database, select(WITH_STATUS, "NOT INDEXED", "id = ?"));
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
    const values: Values = { after, limit };
    for (const { column, value } of filters) values[column] = value;
    return read(() => statement.all(values)).map((row) => petOf(row, status));
  }

  revision(): number {
    return this.#database.revision;
  }

  /** Returns the statement of a page, whose parameters are the columns of the filters, `after` and `limit`. */
  #page(filters: Filter[], isDescending: boolean): StatementSync {
    const columns = filters.map(({ column }) => column);
    const shape = `${columns} ${isDescending}`;
    const known = this.#pages.get(shape);
    if (known !== undefined) return known;
    const statement = prepare(this.#database, pageText(columns, isDescending));
    this.#pages.set(shape, statement);
    return statement;
  }
}

/** A condition of a page: the column has this value, or, for the id, one of the values in a JSON array. */
type Filter = { column: "id" | "name_key" | "category_id" | "status"; value: string | bigint };
type Values = Partial<Record<Filter["column"], string | bigint>> & { after: bigint; limit: number };

/**
 * Names the index that finds the fewest pets. Without statistics SQLite prefers the index by status to one that finds
 * fewer.
 */
function pageText(columns: Filter["column"][], isDescending: boolean): string {
  const [first, second] = columns;
  const conditions = columns.map((column) =>
    column === "id" ? "id IN (SELECT value FROM json_each(:id))" : `${column} = :${column}`,
  );
  const where = [...conditions, `id ${isDescending ? "<" : ">"} :after`].join(" AND ");
  const page = `ORDER BY id ${isDescending ? "DESC" : "ASC"} LIMIT :limit`;
  if (first === "category_id" && second === undefined) {
    // Within a category the index is in order for each status: SQLite merges the three.
    const parts = PetStatus.options.map((status) =>
      select(`${COLUMNS}, '${status}' AS status`, "INDEXED BY pets_by_category", `${where} AND status = '${status}'`),
    );
    return `${parts.join(" UNION ALL ")} ${page}`;
  }
  return `${select(columns.includes("status") ? COLUMNS : WITH_STATUS, indexFor(first), where)} ${page}`;
}

function indexFor(first: Filter["column"] | undefined): string {
  if (first === "name_key") return "INDEXED BY pets_by_name";
  if (first === "category_id") return "INDEXED BY pets_by_category";
  return first === "status" ? "INDEXED BY pets_by_status" : "NOT INDEXED";
}

function select(columns: string, index: string, where: string): string {
  return `SELECT ${columns} FROM pets ${index} WHERE ${where}`;
}

function prepare(database: Database, text: string): StatementSync {
  const statement = database.prepare(text);
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

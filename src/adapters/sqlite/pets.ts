import type { StatementSync } from "node:sqlite";
import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import { DEFAULT_STATUS, FIRST_VERSION, type NewPet, type PetStatus, type StoredPet } from "../../domain/pets/pet.ts";
import { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { type PetRules, SqlPets } from "../sql/pets.ts";
import type { Database } from "./database.ts";
import { read } from "./errors.ts";
import { type FilteredColumn, PET_BY_ID, pageTexts } from "./pets-page.ts";

/** Pets in a SQLite file. Reads are synchronous; creations share commits. */
export class SqlitePets extends SqlPets {
  readonly #database: Database;
  readonly #insert: StatementSync;
  readonly #count: Record<PetStatus, StatementSync>;
  readonly #byId: StatementSync;
  readonly #pages = new Map<string, StatementSync[]>();

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
    this.#byId = prepare(database, PET_BY_ID);
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
    const values: Values = { after, limit };
    for (const { column, value } of filters) values[column] = value;
    let rows: Row[] = [];
    for (const statement of this.#page(filters, order === "desc")) {
      rows = read(() => statement.all(values));
      if (rows.length === limit) break;
    }
    return rows.map((row) => petOf(row, status));
  }

  revision(): number {
    return this.#database.revision;
  }

  /** Returns the statements of a page: see `pageTexts`. */
  #page(filters: Filter[], isDescending: boolean): StatementSync[] {
    const columns = filters.map(({ column }) => column);
    const shape = `${columns} ${isDescending}`;
    const known = this.#pages.get(shape);
    if (known !== undefined) return known;
    const statements = pageTexts(columns, isDescending).map((text) => prepare(this.#database, text));
    this.#pages.set(shape, statements);
    return statements;
  }
}

type Filter = { column: FilteredColumn; value: string | bigint };
type Values = Partial<Record<FilteredColumn, string | bigint>> & { after: bigint; limit: number };

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

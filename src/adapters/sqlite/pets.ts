import type { StatementSync } from "node:sqlite";
import type { Authored } from "../../domain/audit.ts";
import { newEvent } from "../../domain/changes.ts";
import {
  DEFAULT_STATUS,
  FIRST_VERSION,
  type NewPet,
  nameKey,
  type Page,
  PetStatus,
  petJson,
  type StoredPet,
} from "../../domain/pets.ts";
import { SqlIdempotencyKeys } from "../sql/idempotency-keys.ts";
import { type PetRules, SqlPets } from "../sql/pets.ts";
import { EVENT_COLUMNS } from "../sql/records.ts";
import type { Database, Query } from "./database.ts";
import { read } from "./errors.ts";

/** All columns except the status: in a page of one status it is known, and reading it takes longer than finding the pet. */
const COLUMNS = "id, name, category_id, version";
const WITH_STATUS = `${COLUMNS}, status`;

const PET_BY_ID = `SELECT ${WITH_STATUS} FROM pets NOT INDEXED WHERE id = ?`;

/** A filter: the column has the value of the parameter with its name, or, for the id, one of those in a JSON array. */
export type FilteredColumn = "id" | "name_key" | "category_id" | "status";

/** How many pets for each of a page of one status are read in search of it, before the blocks of that status are. */
const NEARBY = 12;

/**
 * The statements of a page of pets, whose parameters are the filtered columns, `after` and `limit`. The last one finds the
 * whole page. One before it is faster, and finds it if it finds as many pets as the page holds.
 */
export function pageTexts(columns: FilteredColumn[], isDescending: boolean): [...string[], string] {
  const [first, second] = columns;
  const conditions = columns.map((column) =>
    column === "id" ? "id IN (SELECT value FROM json_each(:id))" : `${column} = :${column}`,
  );
  const [follows, direction] = isDescending ? ["<", "DESC"] : [">", "ASC"];
  const where = [...conditions, `id ${follows} :after`].join(" AND ");
  const page = `ORDER BY id ${direction} LIMIT :limit`;
  if (first === "status") {
    const nearby = isDescending ? `id >= :after - ${NEARBY} * :limit` : `id <= :after + ${NEARBY} * :limit`;
    // Each block of the status has such a pet: the page reads at most as many blocks as it has pets.
    const blocks = `pet_status = :status AND block ${follows}= :after >> 5 AND id BETWEEN block << 5 AND block << 5 | 31`;
    return [
      `${select(COLUMNS, "NOT INDEXED", `${where} AND ${nearby}`)} ${page}`,
      `SELECT ${COLUMNS} FROM pet_blocks CROSS JOIN pets NOT INDEXED WHERE ${blocks} AND ${where}
         ORDER BY block ${direction}, id ${direction} LIMIT :limit`,
    ];
  }
  if (first === "category_id" && second === undefined) {
    // Within a category the index is in order for each status: SQLite merges the three.
    const parts = PetStatus.options.map((status) =>
      select(`${COLUMNS}, '${status}' AS status`, "INDEXED BY pets_by_category", `${where} AND status = '${status}'`),
    );
    return [`${parts.join(" UNION ALL ")} ${page}`];
  }
  // Without statistics SQLite may prefer another index, which finds more pets.
  return [`${select(columns.includes("status") ? COLUMNS : WITH_STATUS, indexFor(first), where)} ${page}`];
}

function indexFor(first: FilteredColumn | undefined): string {
  if (first === "name_key") return "INDEXED BY pets_by_name";
  return first === "category_id" ? "INDEXED BY pets_by_category" : "NOT INDEXED";
}

function select(columns: string, index: string, where: string): string {
  return `SELECT ${columns} FROM pets ${index} WHERE ${where}`;
}

/** Pets in a SQLite file. Reads are synchronous; creations share commits. */
export class SqlitePets extends SqlPets {
  readonly #database: Database;
  readonly #insert: StatementSync;
  readonly #insertEvent: StatementSync;
  readonly #count: Record<PetStatus, StatementSync>;
  readonly #byId: Query;
  readonly #pages = new Map<string, Query[]>();

  constructor(
    database: Database,
    idempotencyKeys = new SqlIdempotencyKeys(database),
    rules: PetRules = { checksCategories: false },
  ) {
    super(database, idempotencyKeys, rules);
    this.#database = database;
    this.#insert = database.prepare("INSERT INTO pets (name, category_id, status, name_key) VALUES (?, ?, ?, ?)");
    // By position: to bind values by name takes a tenth of a creation's time in the store.
    this.#insertEvent = database.prepare(`INSERT INTO events (${EVENT_COLUMNS}) VALUES (?, ?, ?, ?)`);
    const count = (status: PetStatus) =>
      database.prepare(`UPDATE inventory SET ${status} = ${status} + ? WHERE shard = 0`);
    this.#count = { available: count("available"), pending: count("pending"), sold: count("sold") };
    this.#byId = database.prepareRead(PET_BY_ID, true);
  }

  protected add(pet: NewPet, authored: Authored): Promise<StoredPet> {
    return this.#database.write(() => this.insert(pet, authored));
  }

  /** Adds a pet. Call it within `Database.write`. */
  insert({ name, categoryId, status = DEFAULT_STATUS }: NewPet, authored: Authored): StoredPet {
    this.#database.ids.raise();
    const { lastInsertRowid } = this.#insert.run(name, categoryId, status, nameKey(name));
    const pet = { id: Number(lastInsertRowid), name, categoryId, status, version: FIRST_VERSION };
    const event = newEvent({ action: "pet.create", json: petJson, after: pet }, authored);
    this.#insertEvent.run(event.at, event.type, event.resourceId, event.members);
    this.#database.count(this.#count[status]);
    return pet;
  }

  get(id: bigint): StoredPet | undefined {
    const row = read(() => this.#byId().get(id));
    return row && petOf(row);
  }

  page({ limit, after, order, ids, name, categoryId, status }: Page): StoredPet[] {
    const filters: Filter[] = [];
    if (ids !== undefined) filters.push({ column: "id", value: `[${ids.join(",")}]` });
    if (name !== undefined) filters.push({ column: "name_key", value: nameKey(name) });
    if (categoryId !== undefined) filters.push({ column: "category_id", value: categoryId });
    if (status !== undefined) filters.push({ column: "status", value: status });
    const values: Values = { after, limit };
    for (const { column, value } of filters) values[column] = value;
    let rows: Row[] = [];
    for (const query of this.#queries(filters, order === "desc")) {
      rows = read(() => query().all(values));
      if (rows.length === limit) break;
    }
    return rows.map((row) => petOf(row, status));
  }

  revision(): number {
    return this.#database.revision;
  }

  /** Returns the statements of a page: see `pageTexts`. */
  #queries(filters: Filter[], isDescending: boolean): Query[] {
    const columns = filters.map(({ column }) => column);
    const shape = `${columns} ${isDescending}`;
    const known = this.#pages.get(shape);
    if (known !== undefined) return known;
    const statements = pageTexts(columns, isDescending).map((text) => this.#database.prepareRead(text, true));
    this.#pages.set(shape, statements);
    return statements;
  }
}

type Filter = { column: FilteredColumn; value: string | bigint };
type Values = Partial<Record<FilteredColumn, string | bigint>> & { after: bigint; limit: number };

type Row = ReturnType<StatementSync["all"]>[number];

/** The table is strict and only this service writes it, so the columns have valid values. */
export function petOf(row: Row, status = row.status as PetStatus): StoredPet {
  return {
    id: Number(row.id),
    name: row.name as string,
    categoryId: row.category_id as bigint,
    status,
    version: Number(row.version),
  };
}

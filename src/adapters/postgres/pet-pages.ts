import type { Page } from "../../domain/pets/listing.ts";
import { nameKey } from "../../domain/pets/name-key.ts";
import type { StoredPet } from "../../domain/pets/pet.ts";
import { petOf } from "../sql/pet-row.ts";
import { Batches } from "./batches.ts";
import type { Database, Statement } from "./database.ts";
import { prepared } from "./prepared.ts";

type Filter = {
  /** The column of `wanted` that has the filter's value for each page, and the column's type. */
  column: string;
  type: string;
  /** Compares a pet with the value. */
  condition: string;
  value: (page: Page) => string | bigint | undefined;
};

const filters: Filter[] = [
  {
    column: "ids",
    type: "text",
    condition: "id = ANY (wanted.ids::bigint[])",
    // The text of an array: in an array of arrays each would need the same number of ids.
    value: ({ ids }) => ids && `{${ids.join(",")}}`,
  },
  {
    column: "name",
    type: "text",
    condition: "name_key = wanted.name",
    value: ({ name }) => (name === undefined ? undefined : nameKey(name)),
  },
  {
    column: "category",
    type: "bigint",
    condition: "category_id = wanted.category",
    value: ({ categoryId }) => categoryId,
  },
  { column: "status", type: "text", condition: "status = wanted.status", value: ({ status }) => status },
];

/** The bounds of batches of reads: the server works on some while others are sent or received. */
export const READS = { maxRunning: 4, maxSize: 64 };

/** Reads pages of pets. Concurrent pages of one order with the same filters share a statement. */
export class PetPages {
  readonly #database: Database;
  /** By the order and the filters of their statement. */
  readonly #batches = new Map<string, Batches<Page, StoredPet[]>>();

  constructor(database: Database) {
    this.#database = database;
  }

  read(page: Page): Promise<StoredPet[]> {
    const isDescending = page.order === "desc";
    const used = filters.filter(({ value }) => value(page) !== undefined);
    const kind = [isDescending, ...used.map(({ column }) => column)].join();
    let batches = this.#batches.get(kind);
    if (batches === undefined) {
      const statement = prepared(textOf(isDescending, used));
      batches = new Batches((pages) => this.#run(statement, used, pages), READS);
      this.#batches.set(kind, batches);
    }
    return batches.add(page);
  }

  async #run(statement: Statement, used: Filter[], pages: Page[]): Promise<StoredPet[][]> {
    const rows = await this.#database.query(statement, [
      pages.map(({ after }) => after),
      pages.map(({ limit }) => limit),
      ...used.map(({ value }) => pages.map((page) => value(page) ?? null)),
    ]);
    const found: StoredPet[][] = pages.map(() => []);
    for (const row of rows) found[Number(row.number) - 1]?.push(petOf(row));
    return found;
  }
}

/** Returns the query for pages, one in each element of its parameters, numbered from 1: each begins in an index. */
function textOf(isDescending: boolean, used: Filter[]): string {
  const columns = [
    { column: "after", type: "bigint", condition: `id ${isDescending ? "<" : ">"} wanted.after` },
    { column: "size", type: "integer", condition: "true" },
    ...used,
  ];
  const direction = isDescending ? "DESC" : "ASC";
  return `SELECT number, pet.* FROM unnest(${columns.map(({ type }, i) => `$${i + 1}::${type}[]`).join(", ")})
      WITH ORDINALITY AS wanted (${columns.map(({ column }) => column).join(", ")}, number)
    CROSS JOIN LATERAL (
      SELECT id, name, category_id, status, version FROM petstore.pets
      WHERE ${columns.map(({ condition }) => condition).join(" AND ")} ORDER BY id ${direction} LIMIT size
    ) AS pet
    ORDER BY number, id ${direction}`;
}

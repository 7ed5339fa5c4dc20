import { afterAll, beforeAll, expect, spyOn, test } from "bun:test";
import { constants, DatabaseSync } from "node:sqlite";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { IN_MEMORY } from "../../../src/adapters/sqlite/errors.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import type { Page } from "../../../src/domain/pets.ts";

// SQLite asks the authorizer of a connection whenever it compiles a statement.

let compilations = 0;
let database: Database;

beforeAll(() => {
  const prepare = spyOn(DatabaseSync.prototype, "prepare");
  database = new Database({ path: IN_MEMORY, deployment: "production" });
  const connection = prepare.mock.contexts[0] as DatabaseSync;
  prepare.mockRestore();
  countCompilations(connection);
});
afterAll(() => database.close());

function countCompilations(connection: DatabaseSync): void {
  connection.setAuthorizer(() => {
    compilations += 1;
    return constants.SQLITE_OK;
  });
}

/** The number of times that SQLite asked during the second of two runs, with other values. */
function compilationsOf(run: (value: number) => unknown): number {
  run(1);
  const before = compilations;
  run(2);
  return compilations - before;
}

const filters: Partial<Page>[] = [
  {},
  { status: "sold" },
  { categoryId: 1n },
  { categoryId: 1n, status: "sold" },
  { name: "Rex" },
  { name: "Rex", categoryId: 1n, status: "sold" },
  { ids: [1n, 2n] },
];

for (const order of ["asc", "desc"] as const) {
  for (const filter of filters) {
    test(`a page is compiled once: ${order}, ${Object.keys(filter).join(", ") || "no filter"}`, () => {
      const pets = new SqlitePets(database);
      expect(compilationsOf((value) => pets.list({ ...filter, order, limit: value, after: BigInt(value) }))).toBe(0);
    });
  }
}

test("so is a statement that both databases have, whose literals stay as they are", () => {
  const text = "SELECT id, 'a:b?' AS text FROM petstore.orders WHERE status = :status ORDER BY id LIMIT :limit";
  expect(compilationsOf((value) => database.all(text, { status: `${value}`, limit: value }))).toBe(0);
  expect(database.first("SELECT 'a:b?' AS text, :value AS value", { value: "c" })).toEqual({
    text: "a:b?",
    value: "c",
  });
});

test("so is one whose parameters have no names", () => {
  const statement = database.prepare("SELECT id FROM pets WHERE id > ? ORDER BY id LIMIT ?");
  expect(compilationsOf((value) => statement.all(value, value))).toBe(0);
});

test("SQLite itself would compile a page again in each run", () => {
  const connection = new DatabaseSync(IN_MEMORY);
  connection.exec("CREATE TABLE pets (id INTEGER PRIMARY KEY)");
  countCompilations(connection);
  const statement = connection.prepare("SELECT id FROM pets WHERE id > :after ORDER BY id LIMIT :limit");
  expect(compilationsOf((value) => statement.all({ after: 1, limit: value }))).toBeGreaterThan(0);
  connection.close();
});

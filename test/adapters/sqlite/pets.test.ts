import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import fc from "fast-check";
import { sqliteShop } from "../../../src/adapters/sqlite/bulk.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { IN_MEMORY } from "../../../src/adapters/sqlite/errors.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { directions, PetStatus } from "../../../src/domain/pets.ts";
import type { Shop } from "../../../src/domain/shop.ts";
import { petChangesConformance } from "../../conformance/pet-changes.ts";
import { petStoreConformance } from "../../conformance/pet-store.ts";
import { TESTER } from "../../support/author.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, openIn] of openings) {
  const open = () => openIn((database) => new SqlitePets(database));
  petStoreConformance(name, open);
  petChangesConformance(name, open);
}

test("a change by another process is visible within the same turn of the event loop, if that takes long", () => {
  const file = temporaryFile();
  const database = new Database(file);
  const pets = new SqlitePets(database);
  const other = new DatabaseSync(file.path);
  for (let id = 1; id <= 3; id++) {
    database.refresh();
    const { revision } = database;
    expect(pets.get(BigInt(id))).toBeUndefined();
    other.exec("INSERT INTO pets (name, category_id, status) VALUES ('Rex', 1, 'sold')");
    const committed = performance.now();
    while (performance.now() - committed < 1);
    database.refresh();
    expect(database.revision).not.toBe(revision);
    expect(pets.get(BigInt(id))?.name).toBe("Rex");
  }
  other.close();
  database.close();
  file.remove();
});

let database: Database;
beforeAll(() => {
  database = new Database({ path: IN_MEMORY, deployment: "production" });
});
afterAll(() => database.close());

/** Ids of three blocks, and their first and last ones more often. */
const id = fc.oneof(fc.constantFrom(31, 32, 63, 64, 95), fc.integer({ min: 1, max: 100 }));
const status = fc.constantFrom(...PetStatus.options);
/** The status that a pet gets; one without a status is removed. */
const change = fc.record({ id, status: fc.option(status, { nil: undefined, freq: 3 }) });

const changes = fc.array(change, { maxLength: 60, size: "max" });

const run = (text: string, values = {}) => database.prepare(text).run(values);

/** Each block of a status, such as "sold 3". */
function blocks(): string[] {
  const named = database.prepare("SELECT pet_status || ' ' || block AS name FROM pet_blocks").all();
  return named.map(({ name }) => String(name)).sort();
}

function make({ id, status }: { id: number; status: PetStatus | undefined }, pets: Map<number, PetStatus>): void {
  if (status === undefined) run("DELETE FROM pets WHERE id = :id", { id });
  else if (pets.has(id)) run("UPDATE pets SET status = :status WHERE id = :id", { id, status });
  else run("INSERT INTO pets (id, name, category_id, status) VALUES (:id, 'Rex', 1, :status)", { id, status });
  if (status === undefined) pets.delete(id);
  else pets.set(id, status);
}

test("the blocks of a status are those that contain a pet of it, and lists by status find exactly these pets", () => {
  const store = new SqlitePets(database);
  fc.assert(
    fc.property(changes, fc.nat(110), fc.integer({ min: 1, max: 5 }), (changes, after, limit) => {
      run("DELETE FROM pets");
      const pets = new Map<number, PetStatus>();
      for (const one of changes) make(one, pets);
      const expected = new Set([...pets].map(([id, status]) => `${status} ${Math.floor(id / 32)}`));
      expect(blocks()).toEqual([...expected].sort());
      for (const status of PetStatus.options) {
        const ids = [...pets.keys()].filter((id) => pets.get(id) === status).sort((a, b) => a - b);
        for (const order of directions) {
          const following = order === "asc" ? ids.filter((id) => id > after) : ids.filter((id) => id < after).reverse();
          const listed = store.page({ status, order, after: BigInt(after), limit });
          expect(listed.map(({ id }) => id)).toEqual(following.slice(0, limit));
        }
      }
    }),
    { numRuns: 60 },
  );
});

test("replacing everything leaves the blocks of the new pets, and every trigger", async () => {
  const triggers = () =>
    database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' ORDER BY 1").all();
  const before = triggers();
  await new SqlitePets(database).create({ name: "Mia", categoryId: 1n, status: "pending" }, { now: Date.now() });
  const shop: Shop = { categories: [], pets: [{ name: "Rex", categoryId: 1n, status: "sold" }], orders: [] };
  const [id = 0] = await sqliteShop(database).replace(shop, { by: TESTER, now: 0 });
  expect({ blocks: blocks(), triggers: triggers() }).toEqual({
    blocks: [`sold ${Math.floor(id / 32)}`],
    triggers: before,
  });
});

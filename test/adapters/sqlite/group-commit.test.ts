import { afterEach, beforeEach, expect, test } from "bun:test";
import { SqlIdempotencyKeys } from "../../../src/adapters/sql/idempotency-keys.ts";
import { SqlOrders } from "../../../src/adapters/sql/orders.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { commitsIn } from "./commits.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

const REX = { name: "Rex", categoryId: 1n };

let file: TemporaryFile;
let database: Database;
let pets: SqlitePets;
let before: number;
beforeEach(() => {
  file = temporaryFile();
  database = new Database(file);
  pets = new SqlitePets(database);
  before = commitsIn(file.path);
});
afterEach(() => {
  database.close();
  file.remove();
});

const commits = () => commitsIn(file.path) - before;

/** The values of `PRAGMA synchronous`. */
const [NORMAL, FULL] = [1, 2];
const synchronous = () => database.prepare("PRAGMA synchronous").get()?.synchronous;

test("sequential creations have a commit each", async () => {
  for (let i = 0; i < 10; i++) await pets.create(REX);
  expect(commits()).toBe(10);
});

test("concurrent creations share a commit", async () => {
  await Promise.all(Array.from({ length: 64 }, () => pets.create(REX)));
  expect(commits()).toBe(1);
});

test("refused changes and orders share a commit with others, with and without an idempotency key", async () => {
  const idempotencyKeys = new SqlIdempotencyKeys(database);
  const orders = new SqlOrders(database, idempotencyKeys);
  const { id } = await pets.create({ ...REX, status: "sold" });
  const petId = BigInt(id);
  before = commitsIn(file.path);
  const key = (i: number) => ({ keyId: "key_1", key: `${i}`, now: 0 });
  const refused = [
    pets.update(petId, { status: "pending" }),
    orders.place(petId, 0),
    ...[1, 2, 3].map((i) => orders.place(petId, 0, { key: key(i) })),
  ];
  const outcomes = await Promise.allSettled([pets.create(REX), ...refused, pets.update(petId, { name: "Max" })]);
  const codes = outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.code : "done"));
  expect(codes).toEqual(["done", "invalid_transition", ...Array(4).fill("pet_not_available"), "done"]);
  expect(commits()).toBe(1);
});

test("64 clients that create pets sequentially need far fewer commits than creations", async () => {
  const client = async () => {
    for (let i = 0; i < 10; i++) await pets.create(REX);
  };
  await Promise.all(Array.from({ length: 64 }, client));
  expect(pets.list({ limit: 1_000, after: 0n })).toHaveLength(640);
  expect(commits()).toBeLessThanOrEqual(20);
});

test("a failed creation does not fail the others of its commit", async () => {
  const bad = database.write(() => {
    pets.insert({ name: "half done", categoryId: 1n });
    throw new Error("this one fails");
  });
  const good = [pets.create(REX), pets.create(REX)];
  await expect(bad).rejects.toThrow("this one fails");
  const added = await Promise.all(good);
  expect(pets.list({ limit: 10, after: 0n })).toEqual(added);
});

test("an acknowledged creation is in the file: another connection finds it", async () => {
  const reader = new Database(file);
  const others = new SqlitePets(reader);
  try {
    await Promise.all(
      Array.from({ length: 64 }, async () => {
        const { id } = await pets.create(REX);
        expect(others.get(BigInt(id))?.id).toBe(id);
      }),
    );
  } finally {
    reader.close();
  }
});

test("a transaction waits for the disk unless all its writes are uncached ones", async () => {
  const pet = () => database.write(synchronous);
  const counter = () => database.writeUncached(synchronous);
  expect(await counter()).toBe(NORMAL);
  expect(await pet()).toBe(FULL);
  expect(await Promise.all([counter(), pet()])).toEqual([FULL, FULL]);
  expect(await counter()).toBe(NORMAL);
});

test("so does a write that is committed separately, because another of its commit failed", async () => {
  await database.writeUncached(() => {});
  const counter = database.writeUncached(synchronous);
  const bad = database.writeUncached(() => {
    throw new Error("this one fails");
  });
  const pet = database.write(synchronous);
  await expect(bad).rejects.toThrow("this one fails");
  expect([await counter, await pet]).toEqual([NORMAL, FULL]);
});

test("closing commits the waiting writes", async () => {
  const waiting = Array.from({ length: 5 }, () => pets.create(REX));
  database.close();
  const added = await Promise.all(waiting);
  database = new Database(file);
  expect(new SqlitePets(database).list({ limit: 10, after: 0n })).toEqual(added);
});

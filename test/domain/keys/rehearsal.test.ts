import { afterAll, beforeAll, expect, test } from "bun:test";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import { rehearsing } from "../../../src/domain/keys/store.ts";
import { type TemporaryFile, temporaryFile } from "../../adapters/sqlite/temporary.ts";
import { TESTER } from "../../support/author.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
let file: TemporaryFile;
let database: Database;
let keys: SqliteKeys;
let administration: KeyAdministration;
beforeAll(() => {
  file = temporaryFile();
  database = new Database(file);
  keys = new SqliteKeys(database);
  administration = new KeyAdministration(keys, "staging", TESTER);
});
afterAll(() => {
  database.close();
  file.remove();
});

const create = async () => (await administration.create({ name: "test", plan: "free", scopes: [] }, NOW)).key;

test("a key without a simulation simulates nothing, and waits for nothing", async () => {
  expect(rehearsing(keys)(await create())).toBeUndefined();
});

test("a simulation is read from its answer", async () => {
  const { id } = await create();
  const key = await administration.simulate(id, { answer: "delay=5, lost-answer", every: 1 }, NOW);
  expect(await rehearsing(keys)(key)).toEqual({ delay: 5, cut: "lost-answer" });
});

test("a key as it was read before its simulation ended simulates nothing with any schedule", async () => {
  for (const schedule of [{ next: 5 }, { every: 1 }, { percent: 100, seed: 7 }]) {
    const { id } = await create();
    const stale = await administration.simulate(id, { answer: "not_found", ...schedule }, NOW);
    await administration.endSimulation(id, NOW);
    expect(await rehearsing(keys)(stale)).toBeUndefined();
  }
});

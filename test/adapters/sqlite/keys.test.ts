import { afterAll, beforeAll, expect, test } from "bun:test";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SLOW_DISK } from "../../../src/adapters/sqlite/checkpoints.ts";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { keyTexts, SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import { hashOf } from "../../../src/domain/keys/secret.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import { keyStoreConformance } from "../../conformance/key-store.ts";
import { TESTER } from "../../support/author.ts";
import { changedStates } from "../../support/changed-states.ts";
import { addManyKeys } from "../../support/many-keys.ts";
import { openings } from "./opened.ts";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

for (const [name, open] of openings) {
  keyStoreConformance(name, () => open((database) => new SqliteKeys(database)));
  keyStoreConformance(`${name} in slices of two keys`, () =>
    open((database) => new SqliteKeys(database, { sliceSize: 2, few: 1 })),
  );
}

test("while commits are brought to a slow disk, what another process has done is seen at once", async () => {
  const file = temporaryFile();
  const own = new Database({ ...file, isAlone: true }, { ...SLOW_DISK, slow: 0, beside: 1, part: 1, long: 1_000 });
  const other = new Database(file);
  const [pets, keys] = [new SqlitePets(own), new SqliteKeys(own)];
  const otherPets = new SqlitePets(other);
  const otherKeys = new KeyAdministration(new SqliteKeys(other), "production", TESTER);
  let isWriting = true;
  const writes = (async () => {
    while (isWriting) await pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  })();
  for (let i = 0; i < 30; i++) {
    const before = { ofKeys: keys.revisionByOthers, ofAll: own.revision };
    const { key, secret } = await otherKeys.create({ name: "test", plan: "free", scopes: [] }, Date.now());
    await nextTurn();
    // As an operator's request reads, before any client's.
    expect(own.first("SELECT id FROM petstore.keys WHERE id = :id", { id: key.id })).toEqual({ id: key.id });
    own.refresh();
    expect(keys.findBySecret(hashOf(secret))?.key.id).toBe(key.id);
    expect(keys.revisionByOthers).toBeGreaterThan(before.ofKeys);
    await otherKeys.revoke(key.id, Date.now());
    own.refresh();
    expect(keys.findBySecret(hashOf(secret))?.key.revokedAt).toBeDefined();
    const { id } = await otherPets.create({ name: "Mia", categoryId: 1n }, { now: Date.now() });
    own.refresh();
    expect(pets.get(BigInt(id))?.name).toBe("Mia");
    expect(own.revision).toBeGreaterThan(before.ofAll);
  }
  isWriting = false;
  await writes;
  own.refresh();
  const shown = own.all("SELECT count(*) AS count FROM petstore.pets");
  expect(shown).toEqual(other.all("SELECT count(*) AS count FROM petstore.pets"));
  for (const database of [own, other]) database.close();
  file.remove();
});

test("cached keys outlast another process's pets and this one's counters, but not a change of a key by another process", async () => {
  const file = temporaryFile();
  const [own, other] = [new Database(file), new Database(file)];
  const [keys, otherKeys] = [new SqliteKeys(own), new KeyAdministration(new SqliteKeys(other), "production", TESTER)];
  const { key } = await otherKeys.create({ name: "test", plan: "free", scopes: [] }, Date.now());
  const revisions = async () => {
    await nextTurn();
    own.refresh();
    return { ofKeys: keys.revisionByOthers, ofAll: own.revision };
  };
  const before = await revisions();

  const minute = { count: 1, resetAt: 60 };
  await new SqliteCounters(own).save(changedStates({ [key.id]: { minute, day: minute } }), {
    ...noActivity(),
    lastUsed: new Map([[key.id, 1]]),
  });
  expect(await revisions()).toEqual(before);

  await new SqlitePets(other).create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
  const afterPet = await revisions();
  expect(afterPet.ofKeys).toBe(before.ofKeys);
  expect(afterPet.ofAll).not.toBe(before.ofAll);

  await otherKeys.revoke(key.id, Date.now());
  expect((await revisions()).ofKeys).not.toBe(before.ofKeys);
  for (const database of [own, other]) database.close();
  file.remove();
});

const NOW = Date.UTC(2026, 10, 22);
const KEYS = 200;

let file: TemporaryFile;
let database: Database;
let keys: SqliteKeys;
beforeAll(async () => {
  file = temporaryFile();
  new Database(file).close();
  const other = new DatabaseSync(file.path);
  const run = async (text: string) => other.exec(text);
  const connection = { run, [Symbol.asyncDispose]: async () => other.close() };
  await addManyKeys({ engine: "sqlite", connect: async () => connection }, KEYS, NOW);
  database = new Database(file);
  keys = new SqliteKeys(database);
});
afterAll(() => {
  database.close();
  file.remove();
});

test("keys are found by the index", async () => {
  const found = await keys.list({ search: "customer 19", order: "newest", limit: 50 }, NOW);
  expect(found.map(({ key }) => key.name)).toEqual(
    [199, 198, 197, 196, 195, 194, 193, 192, 191, 190, 19].map((n) => `Customer ${n}`),
  );
});

test("the index counts the keys with a text of any length", async () => {
  const texts = keyTexts(database, KEYS);
  const counts = {
    "r 7": 11,
    "r 19": 11,
    "7f": 1,
    "~": 0,
    k: KEYS,
    cu: KEYS,
    ab: 1,
    "custome?": 0,
    "[c]u": 0,
    "**?": 0,
    '"a': 0,
  };
  for (const [text, count] of Object.entries(counts)) {
    expect([text, (await texts.find(text))?.count]).toEqual([text, count]);
  }
});

test("few keys with a text are read by their ids, many in the order of the list", async () => {
  const found = async (mostFew: number) => await keyTexts(database, mostFew).find("r 7");
  expect(await found(11)).toMatchObject({ count: 11, table: expect.stringContaining("key_texts") });
  expect(await found(10)).toBeUndefined();
});

test("the file is whole", () => {
  expect(database.all("PRAGMA integrity_check")).toEqual([{ integrity_check: "ok" }]);
});

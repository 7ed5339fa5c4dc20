import { expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { SqlitePets } from "../../../src/adapters/sqlite/pets.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import { keyStoreConformance } from "../../conformance/key-store.ts";
import { TESTER } from "../../support/author.ts";
import { changedStates } from "../../support/changed-states.ts";
import { openings } from "./opened.ts";
import { temporaryFile } from "./temporary.ts";

for (const [name, open] of openings) {
  keyStoreConformance(name, () => open((database) => new SqliteKeys(database)));
  keyStoreConformance(`${name} in slices of two keys`, () =>
    open((database) => new SqliteKeys(database, { sliceSize: 2, few: 1 })),
  );
}

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

  await new SqlitePets(other).create({ name: "Rex", categoryId: 1n });
  const afterPet = await revisions();
  expect(afterPet.ofKeys).toBe(before.ofKeys);
  expect(afterPet.ofAll).not.toBe(before.ofAll);

  await otherKeys.revoke(key.id, Date.now());
  expect((await revisions()).ofKeys).not.toBe(before.ofKeys);
  for (const database of [own, other]) database.close();
  file.remove();
});

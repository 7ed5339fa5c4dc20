import { afterAll, beforeAll, expect, test } from "bun:test";
import { sqlAuditLog } from "../../../src/adapters/sql/records.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { tagOfVersion } from "../../../src/domain/changes.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import type { KeyStore } from "../../../src/domain/keys/store.ts";
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
  administration = new KeyAdministration(keys, "production", TESTER);
});
afterAll(() => {
  database.close();
  file.remove();
});

const create = async (expiresAt?: number) =>
  (await administration.create({ name: "test", plan: "free", scopes: [], expiresAt }, NOW)).key;
const actionsOn = async (target: string) =>
  (await sqlAuditLog(database).list({ limit: 99, target })).map(({ action }) => action);

test("a key may expire now, and not a millisecond earlier", async () => {
  expect((await create(NOW)).expiresAt).toBe(NOW);
  await expect(create(NOW - 1)).rejects.toMatchObject({ code: "validation_failed" });
  const { id } = await create();
  const update = async (expiresAt: number) => administration.update(id, { expiresAt }, NOW);
  await expect(update(NOW - 1)).rejects.toMatchObject({ code: "validation_failed" });
  expect((await update(NOW)).expiresAt).toBe(NOW);
});

test("a key is rotated until it expires", async () => {
  const { id } = await create(NOW + 1_000);
  await administration.rotate(id, 0, NOW + 999);
  await expect(administration.rotate(id, 0, NOW + 1_000)).rejects.toMatchObject({ code: "invalid_state" });
  expect(await actionsOn(id)).toEqual(["key.rotate", "key.create"]);
});

test("what ends the grace periods of several secrets logs when the last of them would have ended", async () => {
  for (const [first, last] of [
    [5_000, 9_000],
    [9_000, 5_000],
    [20, 9_000],
  ] as const) {
    const { id } = await create();
    for (const grace of [first, last]) await administration.rotate(id, grace, NOW);
    const rotations = await sqlAuditLog(database).list({ limit: 2, target: id });
    const until = (grace: number) => ({ after: { othersExpireAt: new Date(NOW + grace).toISOString() } });
    expect(rotations).toMatchObject([last, first].map((grace) => ({ action: "key.rotate", ...until(grace) })));
    await administration.endGrace(id, NOW + 100);
    const [entry] = await sqlAuditLog(database).list({ limit: 1, target: id });
    const { secrets } = (await keys.get(id)) ?? {};
    expect(secrets?.map(({ expiresAt = Infinity }) => expiresAt > NOW + 100)).toEqual([true, false, false]);
    expect(entry).toMatchObject({
      action: "key.grace.end",
      before: { othersExpireAt: new Date(NOW + last).toISOString() },
      after: { othersExpireAt: new Date(NOW + 100).toISOString() },
    });
  }
});

test("a change that changes nothing is not stored and not logged", async () => {
  const key = await create();
  expect(await administration.update(key.id, { name: key.name, plan: key.plan }, NOW)).toEqual(key);
  expect((await keys.get(key.id))?.version).toBe(1);
  expect(await actionsOn(key.id)).toEqual(["key.create"]);
});

test("a key that is revoked again keeps the time of its revocation", async () => {
  const { id } = await create();
  await administration.revoke(id, NOW + 1);
  expect((await administration.revoke(id, NOW + 2)).revokedAt).toBe(NOW + 1);
  expect((await keys.get(id))?.key.revokedAt).toBe(NOW + 1);
  expect(await actionsOn(id)).toEqual(["key.revoke", "key.create"]);
});

test("a key is disabled once and enabled again, and each change is logged by its name", async () => {
  const { id } = await create();
  await administration.update(id, { disabled: true }, NOW + 1);
  expect((await administration.update(id, { name: "kept", disabled: true }, NOW + 2)).disabledAt).toBe(NOW + 1);
  expect(await administration.update(id, { disabled: false }, NOW + 3)).not.toHaveProperty("disabledAt");
  expect(await actionsOn(id)).toEqual(["key.enable", "key.update", "key.disable", "key.create"]);
});

test("an expiry is removed by null alone", async () => {
  const { id } = await create(NOW + 1);
  expect((await administration.update(id, { name: "renamed" }, NOW)).expiresAt).toBe(NOW + 1);
  expect(await administration.update(id, { expiresAt: null }, NOW)).not.toHaveProperty("expiresAt");
});

test("a change keeps what another made since the key was read, and gives up after ten attempts, or at once if it is conditional", async () => {
  const { id } = await create();
  let reads = 0;
  /** The store, in which another process renames the key after each of the next `times` reads. */
  const contended = (times: number): KeyStore =>
    Object.assign(Object.create(keys) as KeyStore, {
      get: async (wanted: string) => {
        const found = await keys.get(wanted);
        reads += 1;
        if (reads <= times) await administration.update(wanted, { name: `renamed ${reads}` }, NOW);
        return found;
      },
      replace: keys.replace.bind(keys),
    });
  const changed = await new KeyAdministration(contended(3), "production", TESTER).update(id, { plan: "pro" }, NOW);
  expect(changed).toMatchObject({ plan: "pro", name: "renamed 3" });
  expect((await keys.get(id))?.key).toMatchObject({ plan: "pro", name: "renamed 3" });
  reads = 0;
  const update = new KeyAdministration(contended(99), "production", TESTER).update(id, { plan: "free" }, NOW);
  await expect(update).rejects.toMatchObject({ code: "service_unavailable" });
  expect(reads).toBe(10);
  reads = 0;
  const seen = { ifMatch: [tagOfVersion((await keys.get(id))?.version ?? 0)] };
  const conditional = new KeyAdministration(contended(1), "production", TESTER, seen).update(id, { plan: "free" }, NOW);
  await expect(conditional).rejects.toMatchObject({ code: "precondition_failed" });
});

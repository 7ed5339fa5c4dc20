import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { IDEMPOTENCY_KEY_LIFETIME } from "../../src/domain/changes.ts";
import { endedAt } from "../../src/domain/keys/administration.ts";
import {
  type Key,
  type Owner,
  ownerKeyOf,
  ownerNameKeyOf,
  ownerText,
  type StoredSecret,
  scopes,
  stateOf,
  states,
} from "../../src/domain/keys/key.ts";
import { hashOf, newSecret, randomBase62 } from "../../src/domain/keys/secret.ts";
import type { Schedule, SimulationScript } from "../../src/domain/keys/simulation.ts";
import type { KeyFilter, KeyStore, KeyWithSecrets } from "../../src/domain/keys/store.ts";
import { MAX_LIMIT, plans } from "../../src/domain/limits/limits.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

const NOW = Date.UTC(2026, 11, 2, 10);

const moment = fc.integer({ min: NOW, max: NOW + 10 ** 11 });
const limit = fc.integer({ min: 1, max: MAX_LIMIT });
const schedule = fc.oneof(
  fc.record({ next: limit }),
  fc.record({ every: limit }),
  fc.record({ percent: fc.integer({ min: 1, max: 100 }), seed: limit }),
);
const text = fc.string({ unit: "binary" }).filter((name) => !name.includes("\0"));
const ownerOf = (of: fc.Arbitrary<string>): fc.Arbitrary<Owner> =>
  fc.oneof(fc.record({ name: of }), fc.record({ email: of }), fc.record({ name: of, email: of }));
/** Everything of a key but its id and its last use. */
const content = fc.record(
  {
    name: text,
    owner: ownerOf(text),
    note: text,
    plan: fc.constantFrom(...plans),
    limits: fc.record({ perMinute: limit, perDay: limit }),
    scopes: fc.subarray([...scopes]),
    createdAt: moment,
    expiresAt: moment,
    revokedAt: moment,
    disabledAt: moment,
    pardonedAt: moment,
    simulation: fc.record({
      answer: fc.constantFrom("not_found", "delay=5"),
      schedule,
      startedAt: moment,
      requests: fc.constant(0),
    }),
  },
  { requiredKeys: ["name", "plan", "limits", "scopes", "createdAt"] },
);

const past = fc.integer({ min: NOW - 10, max: NOW });
/** Those of one name, with and without an address, also written in another case or another form (NFC, NFD). */
const owner = fc.constantFrom<Owner[]>(
  { name: "Zoë" },
  { name: "zoe\u0308", email: "zoe@example.org" },
  { name: "Shop", email: "ZOE@example.org" },
  { email: "a@example.org" },
);
/** Keys of few names, owners, plans and ages, in every state. */
const listed = fc.record(
  {
    name: fc.constantFrom("Shop", "shop 2", "Rotated", "ÄÖ"),
    owner,
    plan: fc.constantFrom(...plans),
    createdAt: past,
    expiresAt: fc.integer({ min: NOW - 1, max: NOW + 1 }),
    revokedAt: past,
    disabledAt: past,
    simulation: fc.constant(simulationOf({ every: 2 })),
  },
  { requiredKeys: ["name", "plan", "createdAt"] },
);
const filter: fc.Arbitrary<KeyFilter> = fc.record(
  {
    search: fc.constantFrom(
      "",
      "shop",
      "SHOP 2",
      "äö",
      "key_",
      "a",
      "op",
      "zzzzz",
      "<ZOE@",
      "shop ada",
      "Ö",
      "p@",
      "2",
      "~",
    ),
    owner: fc.oneof(owner, fc.constant({ name: "nobody" })),
    plan: fc.subarray([...plans]),
    state: fc.subarray([...states]),
    isRehearsing: fc.boolean(),
  },
  { requiredKeys: [] },
);

/** What a filter selects, as a function of a key without a ban. */
function matches({ key, secrets }: KeyWithSecrets, filter: KeyFilter): boolean {
  const { search = "", owner, plan, state, isRehearsing } = filter;
  if (isRehearsing && key.simulation === undefined) return false;
  if (owner !== undefined && !belongsTo(owner, key)) return false;
  if (plan !== undefined && !plan.includes(key.plan)) return false;
  if (state !== undefined && !state.includes(stateOf(key, undefined, NOW))) return false;
  const texts = [
    key.id,
    key.name,
    key.owner === undefined ? "" : ownerText(key.owner),
    ...secrets.map(({ lastFour }) => lastFour),
  ];
  return texts.some((one) => one.toLowerCase().includes(search.toLowerCase()));
}

function simulationOf(schedule: Schedule, startedAt = NOW): SimulationScript {
  return { answer: "rate_limit_exceeded", schedule, startedAt, requests: 0 };
}

function belongsTo(owner: Owner, key: Key): boolean {
  if (owner.email !== undefined) return ownerKeyOf(owner) === ownerKeyOf(key.owner);
  return ownerNameKeyOf(owner.name ?? "") === ownerNameKeyOf(key.owner?.name ?? "");
}

const ordered = {
  oldest: (keys: KeyWithSecrets[]) => keys,
  newest: (keys: KeyWithSecrets[]) => keys.toReversed(),
  /** By owner in the order of code units; those of an owner stay in order. */
  owner: (keys: KeyWithSecrets[]) => {
    const bytes = ({ key }: KeyWithSecrets) => Buffer.from(ownerKeyOf(key.owner));
    return keys.toSorted((one, other) => Buffer.compare(bytes(one), bytes(other)));
  },
};

/** What every request needs of a key, which is cached for it. */
function forRequests(
  { owner: _, note: __, name: ___, createdAt: ____, lastUsedAt = 0, ...key }: Key,
  secret: StoredSecret,
) {
  const { expiresAt } = secret;
  return { key: { ...key, lastUsedAt }, secret: { ...(expiresAt !== undefined && { expiresAt }) } };
}

const newKey = (more: Partial<Key> = {}): Key => ({
  id: `key_${randomBase62(16)}`,
  name: "test",
  plan: "free",
  limits: { perMinute: 60, perDay: 1_000 },
  scopes: [...scopes],
  createdAt: NOW,
  ...more,
});

/** Gives a key a secret, after those that others give it meanwhile. Its other secrets end at `othersExpireAt` at the latest. */
async function addSecret(store: KeyStore, added: StoredSecret, othersExpireAt: number): Promise<void> {
  const found = await store.get(added.keyId);
  if (found === undefined) throw new Error(`there is no key ${added.keyId}`);
  const ended = endedAt(found.secrets, othersExpireAt);
  if (!(await store.replace(found.key, found.version, ENTRY, { added, ended }))) {
    await addSecret(store, added, othersExpireAt);
  }
}

function secretOf(key: Key, createdAt = key.createdAt, expiresAt?: number): StoredSecret {
  const secret = newSecret("production");
  const stored = { hash: hashOf(secret), keyId: key.id, lastFour: secret.slice(-4), createdAt };
  return { ...stored, ...(expiresAt !== undefined && { expiresAt }) };
}

/** What every KeyStore does, on each engine. */
export function keyStoreConformance(name: string, open: () => Promise<Opened<KeyStore>>): void {
  describe(`${name} as a store of keys`, () => {
    let opened: Opened<KeyStore>;
    let store: KeyStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const found = async (hash: string, among: KeyStore = store) => {
      await opened.refresh();
      return among.findBySecret(hash);
    };
    const add = async (more: Partial<Key> = {}) => {
      const key = newKey(more);
      const secret = secretOf(key);
      await store.add(key, secret, ENTRY);
      return { key, secret };
    };

    const all = (filter: KeyFilter = {}) => store.list({ ...filter, order: "oldest", limit: 10_000 }, NOW);
    const count = async (filter: KeyFilter, after?: Key) =>
      (await store.listCounted({ ...filter, order: "newest", limit: 1, after }, NOW)).total;

    test("is empty until the first key", async () => {
      expect(await store.isEmpty()).toBe(true);
      expect(await all()).toEqual([]);
      await add();
      expect(await store.isEmpty()).toBe(false);
    });

    test("gives back every key exactly as it was added: by its secret's hash, by its id and in the list", async () => {
      await eventuallyHolds(
        fc.asyncProperty(content, async (wanted) => {
          const { key, secret } = await add(wanted);
          expect(await found(secret.hash)).toEqual(forRequests(key, secret));
          expect(await store.get(key.id)).toEqual({ key, secrets: [secret], version: 1 });
          expect(await all()).toContainEqual({ key, secrets: [secret], version: 1 });
        }),
        30,
      );
    });

    test("knows neither a hash nor an id that was never added", async () => {
      const { secret } = await add();
      for (const hash of ["", hashOf("x"), secret.hash.toUpperCase(), `${secret.hash.slice(1)}0`]) {
        expect(await found(hash)).toBeUndefined();
      }
      expect(await store.get("key_none")).toBeUndefined();
    });

    test("gives the names of the keys that there are", async () => {
      const { key } = await add({ name: "Till" });
      const { key: other } = await add({ name: "Web" });
      expect(await store.namesOf([other.id, "key_none", key.id])).toEqual(
        new Map([
          [key.id, "Till"],
          [other.id, "Web"],
        ]),
      );
      expect(await store.namesOf([])).toEqual(new Map());
    });

    test("lists keys by age, the oldest first", async () => {
      for (const createdAt of [NOW + 3, NOW + 1, NOW + 2, NOW + 1]) await add({ createdAt });
      const ages = (await all()).map(({ key }) => key.createdAt);
      expect(ages).toEqual(ages.toSorted((a, b) => a - b));
    });

    test("lists and counts the keys that a filter selects, page by page in every order", async () => {
      await eventuallyHolds(
        fc.asyncProperty(
          fc.array(listed, { maxLength: 6 }),
          filter,
          fc.constantFrom("newest" as const, "oldest" as const, "owner" as const),
          fc.integer({ min: 1, max: 3 }),
          async (contents, selection, order, limit) => {
            for (const content of contents) {
              const { key } = await add(content);
              if (content.name === "Rotated") await addSecret(store, secretOf(key, NOW + 1), NOW);
            }
            const expected = (await all()).filter((one) => matches(one, selection));
            const found: KeyWithSecrets[] = [];
            for (let after: Key | undefined; ; after = found.at(-1)?.key) {
              const asked = { ...selection, order, limit, after };
              const { keys: page, total } = await store.listCounted(asked, NOW);
              expect(total).toBe(expected.length);
              found.push(...page);
              if (page.length < limit) break;
            }
            expect(found).toEqual(ordered[order](expected));
          },
        ),
        30,
      );
    });

    test("counts the keys of a state on all pages", async () => {
      for (let i = 0; i < 3; i++) await add({});
      const selection = { state: ["active" as const] };
      const { length } = (await all()).filter((one) => matches(one, selection));
      expect(await count(selection)).toBe(length);
    });

    test("counts the keys on all pages, on each of them", async () => {
      for (let i = 0; i < 8; i++) await add({ plan: "pro" });
      for (const selection of [{}, { plan: ["pro" as const] }, { search: "key_" }]) {
        const selected = (await all()).filter((one) => matches(one, selection));
        for (const after of [undefined, selected.at(-1)?.key, selected[1]?.key]) {
          expect(await count(selection, after)).toBe(selected.length);
        }
      }
    });

    test("finds an active key that nothing can make inactive, by every filter and order", async () => {
      const { key } = await add({ plan: "pro", owner: { name: "Ada" } });
      for (const order of ["newest", "oldest", "owner"] as const) {
        for (const more of [{}, { plan: ["pro" as const] }, { owner: { name: "Ada" } }]) {
          const asked = { ...more, state: ["active" as const], order, limit: 100, after: undefined };
          const { keys } = await store.listCounted(asked, NOW);
          expect(keys.map((found) => found.key.id)).toContain(key.id);
        }
      }
    });

    test("counts the keys in each state, and those with a simulation", async () => {
      await eventuallyHolds(
        fc.asyncProperty(listed, async (content) => {
          const before = await store.counts(NOW);
          const { key } = await add(content);
          const state = stateOf(key, undefined, NOW);
          expect(await store.counts(NOW)).toEqual({
            byState: { ...before.byState, [state]: before.byState[state] + 1 },
            rehearsing: before.rehearsing + (key.simulation === undefined ? 0 : 1),
          });
        }),
        20,
      );
    });

    test.each([
      ["100%", "100% of Ä_B"],
      ["ä_b", "100% of Ä_B"],
      ["a_b", undefined],
      ["\\", "back\\slash"],
      ["  BACK ", "back\\slash"],
      ["k\\SL", "back\\slash"],
      ["100% of ä_", "100% of Ä_B"],
      ["100_ of", undefined],
      ["10000%", undefined],
      ["*back", undefined],
      ["b?ck\\", undefined],
      ["[b]ack", undefined],
      ["back\0", undefined],
    ])("searches for %p as it is, in any case", async (search, name) => {
      const { key } = await add({ name: "100% of Ä_B" });
      const { key: other } = await add({ name: "back\\slash" });
      const found = (await all({ search })).map((one) => one.key);
      expect([key, other].find(({ id }) => found.some((one) => one.id === id))?.name).toBe(name);
    });

    test("a search finds a text of any length, the last characters of a secret too, and none across two columns", async () => {
      const { key, secret } = await add({ name: 'Ra "\u{1f43e}\u{10ffff}?*' });
      for (const text of [key.name.toLowerCase(), secret.lastFour]) {
        const characters = [...text];
        const parts = characters.flatMap((_, i) => [1, 2, 3, 4].map((size) => characters.slice(i, i + size).join("")));
        for (const search of parts.filter((part) => part.trim() === part)) {
          const found = (await all({ search })).map((one) => one.key.id);
          expect({ search, isFound: found.includes(key.id) }).toEqual({ search, isFound: true });
          expect(await count({ search })).toBe(found.length);
        }
      }
      expect(await count({ search: "\u{10ffff}\u{1f43e}" })).toBe(0);
      expect(await count({ search: `${key.name}\n${secret.lastFour}` })).toBe(0);
    });

    test("a search finds a key by what it has now: its name, its owner, and each of its secrets", async () => {
      const { key, secret } = await add({ name: "Before" });
      const after: Key = { ...key, name: "Afterwards", owner: { email: "ada@example.org" } };
      await store.replace(after, 1, ENTRY);
      const second = secretOf(key);
      await addSecret(store, second, NOW);
      const isFound = async (search: string) => (await all({ search })).some((one) => one.key.id === key.id);
      expect(await isFound("before")).toBe(false);
      for (const search of [key.id, "terwar", "a@example", secret.lastFour, second.lastFour.slice(1)]) {
        expect(await isFound(search)).toBe(true);
        expect(await count({ search })).toBe((await all({ search })).length);
      }
    });

    test("replaces everything of a key but its id and its secrets", async () => {
      await eventuallyHolds(
        fc.asyncProperty(content, content, async (before, after) => {
          const { key, secret } = await add(before);
          const { key: bystander, secret: its } = await add(before);
          const changed: Key = { id: key.id, ...after };
          expect(await store.replace(changed, 1, ENTRY)).toBe(true);
          expect(await found(secret.hash)).toEqual(forRequests(changed, secret));
          expect(await store.get(key.id)).toEqual({ key: changed, secrets: [secret], version: 2 });
          expect(await found(its.hash)).toEqual(forRequests(bystander, its));
        }),
        30,
      );
    });

    test("replaces nothing where a key no longer has the version that was read, or does not exist", async () => {
      const { key, secret } = await add();
      const revoked = { ...key, revokedAt: NOW + 1 };
      expect(await store.replace(revoked, 1, ENTRY)).toBe(true);
      expect(await store.replace({ ...key, name: "renamed" }, 1, ENTRY)).toBe(false);
      expect(await store.replace({ ...key, name: "renamed" }, 3, ENTRY)).toBe(false);
      expect(await store.get(key.id)).toEqual({ key: revoked, secrets: [secret], version: 2 });
      expect(await store.replace(newKey(), 1, ENTRY)).toBe(false);
    });

    test("of changes at the same time, by however many processes, exactly one succeeds", async () => {
      const { key } = await add();
      const changes = Array.from({ length: 10 }, (_, i) => ({ ...key, name: `renamed ${i}` }));
      const results = await Promise.all(
        changes.map((changed, i) => (i % 2 === 0 ? store : opened.other).replace(changed, 1, ENTRY)),
      );
      expect(results.filter((isDone) => isDone)).toHaveLength(1);
      const changed = changes[results.indexOf(true)];
      expect(await store.get(key.id)).toMatchObject({ key: changed ?? key, version: 2 });
    });

    test("a new secret is a change of its key too", async () => {
      const { key } = await add();
      await addSecret(store, secretOf(key), NOW);
      expect((await store.get(key.id))?.version).toBe(2);
      expect(await store.replace(key, 1, ENTRY)).toBe(false);
    });

    test("of secrets that are added at the same time, by however many processes, one goes on without an end", async () => {
      const { key } = await add();
      const secrets = Array.from({ length: 6 }, (_, i) => secretOf(key, NOW + i));
      await Promise.all(secrets.map((secret, i) => addSecret(i % 2 === 0 ? store : opened.other, secret, NOW + 9)));
      const kept = (await store.get(key.id))?.secrets ?? [];
      expect(kept).toHaveLength(7);
      expect(kept.filter(({ expiresAt }) => expiresAt === undefined)).toHaveLength(1);
    });

    test("keeps a rotation with its idempotency key, once over all processes, until the key expires", async () => {
      const [{ key }, { key: other }] = [await add(), await add()];
      const idempotencyKey = { keyId: key.id, key: "rotation", now: NOW };
      const rotate = async (
        of: KeyStore,
        added: StoredSecret,
        { now = NOW, request = "first", seed = 2n ** 127n + 1n } = {},
      ) => {
        const version = (await of.get(key.id))?.version ?? 0;
        const rotation = { key: { ...idempotencyKey, now }, request, seed };
        return of.replace(key, version, ENTRY, { added, ended: [], rotation });
      };
      expect(await store.requestWith(idempotencyKey)).toBeUndefined();
      const secrets = Array.from({ length: 4 }, () => secretOf(key));
      const done = await Promise.all(secrets.map((one, i) => rotate(i % 2 === 0 ? store : opened.other, one)));
      expect(done.filter(Boolean)).toHaveLength(1);
      expect(await rotate(store, secretOf(key), { request: "second" })).toBe(false);
      expect((await store.get(key.id))?.secrets).toHaveLength(2);
      const first = { request: "first", ids: [2n ** 127n + 1n], at: NOW };
      for (const one of [store, opened.other]) expect(await one.requestWith(idempotencyKey)).toEqual(first);
      expect(await store.requestWith({ ...idempotencyKey, keyId: other.id })).toBeUndefined();
      const now = NOW + IDEMPOTENCY_KEY_LIFETIME;
      expect(await store.requestWith({ ...idempotencyKey, now: now - 1 })).toEqual(first);
      expect(await store.requestWith({ ...idempotencyKey, now })).toBeUndefined();
      expect(await rotate(store, secretOf(key), { now, request: "second", seed: 5n })).toBe(true);
      const second = { request: "second", ids: [5n], at: now };
      for (const one of [store, opened.other]) {
        expect(await one.requestWith({ ...idempotencyKey, now })).toEqual(second);
      }
    });

    test("finds a key that was asked for before as it is now", async () => {
      let { key, secret } = await add();
      for (let perMinute = 1; perMinute <= 5; perMinute++) {
        const changed = { ...key, limits: { perMinute, perDay: 9 } };
        await store.replace(changed, perMinute, ENTRY);
        key = changed;
        expect(await found(secret.hash)).toEqual(forRequests(key, secret));
      }
    });

    test("gives a key another secret: both find it, the older one until its end", async () => {
      const { key, secret: first } = await add();
      const second = secretOf(key, NOW + 1_000);
      await addSecret(store, second, NOW + 5_000);
      const ending = { ...first, expiresAt: NOW + 5_000 };
      expect(await found(first.hash)).toEqual(forRequests(key, ending));
      expect(await found(second.hash)).toEqual(forRequests(key, second));
      expect(await store.get(key.id)).toEqual({ key, secrets: [second, ending], version: 2 });

      const third = secretOf(key, NOW + 2_000);
      await addSecret(store, third, NOW + 9_000);
      const secrets = [third, { ...second, expiresAt: NOW + 9_000 }, ending];
      expect(await store.get(key.id)).toEqual({ key, secrets, version: 3 });
    });

    test("never lets an older secret live longer than it was to, and may end it sooner", async () => {
      const { key, secret } = await add();
      const ends: [grace: number, end: number][] = [
        [5_000, 5_000],
        [9_000, 5_000],
        [100, 100],
      ];
      for (const [i, [grace, end]] of ends.entries()) {
        await addSecret(store, secretOf(key, NOW + i + 1), NOW + grace);
        expect((await found(secret.hash))?.secret.expiresAt).toBe(NOW + end);
      }
    });

    test("ends the grace period of earlier secrets, and of nothing else", async () => {
      const { key, secret: first } = await add();
      const [second, third] = [secretOf(key, NOW + 1), secretOf(key, NOW + 2)];
      await addSecret(store, second, NOW + 10);
      await addSecret(store, third, NOW + 90);
      const earlier = (await store.get(key.id))?.secrets.filter(({ expiresAt }) => expiresAt !== undefined) ?? [];
      const ended = endedAt(earlier, NOW + 20);
      expect(ended).toEqual([{ ...second, expiresAt: NOW + 20 }]);
      expect(await store.replace(key, 2, ENTRY, { ended })).toBe(false);
      expect(await store.replace(key, 3, ENTRY, { ended })).toBe(true);
      const secrets = [third, ...ended, { ...first, expiresAt: NOW + 10 }];
      expect(await store.get(key.id)).toEqual({ key, secrets, version: 4 });
      expect(await found(second.hash)).toEqual(forRequests(key, { ...second, expiresAt: NOW + 20 }));
      expect(endedAt(ended, NOW + 20)).toEqual([]);
      expect(await store.replace({ ...key, id: "key_none" }, 1, ENTRY, { ended: [] })).toBe(false);
    });

    test("counts the requests of a simulation exactly, by however many processes, until its last one ends it", async () => {
      const simulation = simulationOf({ next: 20 });
      const { key, secret } = await add({ simulation });
      const count = (i: number) => (i % 2 === 0 ? store : opened.other).countSimulated(key.id, simulation);
      const first = await Promise.all(Array.from({ length: 12 }, (_, i) => count(i)));
      expect(first.toSorted((a = 0, b = 0) => a - b)).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
      expect(await store.get(key.id)).toMatchObject({
        key: { simulation: { ...simulation, requests: 12 } },
        version: 1,
      });
      const rest = await Promise.all(Array.from({ length: 12 }, (_, i) => count(i)));
      expect(rest.filter((position) => position === undefined)).toHaveLength(4);
      expect(Math.max(...rest.map((position = 0) => position))).toBe(20);
      const { simulation: _, ...ended } = key;
      expect(await store.get(key.id)).toEqual({ key: ended, secrets: [secret], version: 2 });
      expect(await store.replace(key, 1, ENTRY)).toBe(false);
    });

    test.each<Schedule>([{ every: 2 }, { percent: 50, seed: 1 }])("%j has no last request", async (schedule) => {
      const simulation = simulationOf(schedule);
      const { key } = await add({ simulation });
      for (let position = 1; position <= 5; position++) {
        expect(await store.countSimulated(key.id, simulation)).toBe(position);
      }
    });

    test("counts for the simulation that a key has now, from its first request on", async () => {
      const [first, second] = [simulationOf({ next: 5 }), simulationOf({ next: 5 }, NOW + 1)];
      const { key } = await add({ simulation: first });
      expect(await store.countSimulated(key.id, second)).toBeUndefined();
      expect(await store.countSimulated(key.id, first)).toBe(1);
      await store.replace({ ...key, name: "renamed" }, 1, ENTRY);
      await addSecret(store, secretOf(key, NOW + 1), NOW);
      expect(await store.countSimulated(key.id, first)).toBe(2);
      await store.replace({ ...key, simulation: second }, 3, ENTRY);
      expect(await store.countSimulated(key.id, first)).toBeUndefined();
      expect((await store.get(key.id))?.key.simulation).toEqual(second);
      expect(await store.countSimulated(key.id, second)).toBe(1);
      const { simulation: _, ...without } = key;
      await store.replace(without, 4, ENTRY);
      expect(await store.countSimulated(key.id, second)).toBeUndefined();
      expect(await store.countSimulated("key_none", second)).toBeUndefined();
      await store.replace(key, 5, ENTRY);
      expect(await store.countSimulated(key.id, first)).toBe(1);
    });

    test("a new secret of one key leaves the others' alone", async () => {
      const { key } = await add();
      const { key: bystander, secret } = await add();
      await addSecret(store, secretOf(key), NOW);
      expect(await found(secret.hash)).toEqual(forRequests(bystander, secret));
    });

    test("refuses a secret that is there already, and nothing of it remains", async () => {
      const { secret } = await add();
      const thief = newKey();
      const attempt = store.add(thief, { ...secret, keyId: thief.id }, ENTRY);
      expect(
        await attempt.then(
          () => "added",
          () => "refused",
        ),
      ).toBe("refused");
      expect(await store.get(thief.id)).toBeUndefined();
      expect((await found(secret.hash))?.key.id).toBe(secret.keyId);
    });

    test("shows another process every change: a new key, a new secret, a revocation", async () => {
      const { key, secret } = await add();
      expect(await found(secret.hash, opened.other)).toEqual(forRequests(key, secret));
      const revoked = { ...key, revokedAt: NOW + 1 };
      await store.replace(revoked, 1, ENTRY);
      expect(await found(secret.hash, opened.other)).toEqual(forRequests(revoked, secret));
      const second = secretOf(key, NOW + 2);
      await addSecret(opened.other, second, NOW + 3);
      expect(await found(second.hash)).toEqual(forRequests(revoked, second));
      expect((await found(secret.hash))?.secret.expiresAt).toBe(NOW + 3);
    });
  });
}

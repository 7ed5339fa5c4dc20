import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import {
  type Direction,
  directions,
  type NewPet,
  type Page,
  type PetFilters,
  type PetList,
  PetStatus,
  type PetStore,
  type StoredPet,
} from "../../src/domain/pets.ts";
import { eventually } from "../support/eventually.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

const NAMES = [
  "Rex",
  " Rex ",
  "'; DROP TABLE pets; --",
  "%_\\",
  '"',
  "\u{1F415}",
  "e\u0301",
  "\u00e9",
  "\u05d0\u200f",
  "null",
  "Rex*",
  "rexy\\*",
  "RE*x%",
  "[a-z]_",
  "\u0391\u03a3",
  "\u03b1\u03c3\u03b1",
  "\ud7ff\ue000\u{1f415}",
  "\u{10ffff}\u{10ffff}",
  "\u{10ffff}".repeat(255),
  "\ufdfa".repeat(40),
  `${"\ufdfa".repeat(40)}a`,
];

/** A beginning of a name, as a filter has it. */
const beginning = fc
  .tuple(fc.constantFrom(...NAMES, "REX\\", "%", "\u03b1\u03c3"), fc.integer({ min: 0, max: 6 }))
  .map(([name, length]) => `${[...name].slice(0, length).join("").replace(/\\+$/, "$&$&")}*`);
const EDGES = [0n, 1n, -1n, INT64_MAX, INT64_MIN, 2n ** 53n + 1n, -(2n ** 53n) - 1n];

const status = fc.constantFrom(...PetStatus.options);
const newPet: fc.Arbitrary<NewPet> = fc.record(
  {
    name: fc.oneof(fc.constantFrom(...NAMES), fc.string({ unit: "binary", minLength: 1 }).filter(isStorable)),
    categoryId: fc.oneof(fc.constantFrom(...EDGES), fc.bigInt({ min: INT64_MIN, max: INT64_MAX })),
    status,
  },
  { requiredKeys: ["name", "categoryId"] },
);
const page: fc.Arbitrary<Page> = fc.record(
  {
    limit: fc.integer({ min: 1, max: 101 }),
    after: fc.oneof(fc.bigInt({ min: 0n, max: 60n }), fc.constantFrom(2n ** 53n, INT64_MAX)),
    order: fc.constantFrom(...directions),
    status,
    ids: fc.array(fc.oneof(fc.bigInt({ min: 1n, max: 60n }), fc.constant(INT64_MAX)), { minLength: 1, maxLength: 100 }),
    categoryId: fc.constantFrom(...EDGES),
    name: fc.oneof(
      fc.constantFrom(
        ...NAMES,
        "REX",
        "\u00c9",
        "\uff32ex",
        "rex\\*",
        "rexy\\\\\\*",
        "rexy\\\\*",
        `${"\ufdfa".repeat(40)}*`,
      ),
      beginning,
    ),
  },
  { requiredKeys: ["limit", "after"] },
);

/** Names reach a store checked: no NUL is among them. */
function isStorable(name: string): boolean {
  return !name.includes("\0");
}

const folded = (name: string) => name.normalize("NFKC").toLowerCase();

/** Whether a name satisfies a filter of names. */
function satisfies(name: string, filter: string): boolean {
  const [, start = "", escapes = ""] = /^(.*?)(\\*)\*$/su.exec(filter) ?? [undefined, undefined];
  if (!filter.endsWith("*")) return folded(name) === folded(filter);
  const text = start + "\\".repeat(escapes.length / 2);
  if (escapes.length % 2 === 1) return folded(name) === folded(`${text}*`);
  const plain = (sigmas: string) => folded(sigmas).replace(/\u03c2$/, "\u03c3");
  return plain([...folded(name)].slice(0, [...folded(text)].length).join("")) === plain(text);
}

/** What a page of these pets has to be. */
function pageOf(pets: StoredPet[], { limit, after, order, status: its, ids, categoryId, name }: Page): StoredPet[] {
  const direction = order === "desc" ? -1 : 1;
  return pets
    .filter((pet) => (order === "desc" ? BigInt(pet.id) < after : BigInt(pet.id) > after))
    .filter((pet) => (its ?? pet.status) === pet.status)
    .filter((pet) => (categoryId ?? pet.categoryId) === pet.categoryId)
    .filter((pet) => name === undefined || satisfies(pet.name, name))
    .filter((pet) => ids?.includes(BigInt(pet.id)) ?? true)
    .sort((a, b) => direction * (a.id - b.id))
    .slice(0, limit);
}

const FIRST: Page = { limit: 100, after: 0n };
const NOW = Date.UTC(2026, 11, 2);
const DAY = 86_400_000;
const REX: NewPet = { name: "Rex", categoryId: 1n };

/** Every pet there is, page by page. */
async function everything(
  store: PetStore,
  beforeEachPage: () => Promise<unknown> = async () => {},
  limit = 100,
): Promise<StoredPet[]> {
  const pets: StoredPet[] = [];
  for (;;) {
    await beforeEachPage();
    const found = await store.list({ limit, after: BigInt(pets.at(-1)?.id ?? 0) });
    if (found.length === 0) return pets;
    pets.push(...found);
  }
}

/** What every PetStore does, on each engine. */
export function petStoreConformance(name: string, open: () => Promise<Opened<PetStore>>): void {
  describe(`${name} as a store of pets`, () => {
    let opened: Opened<PetStore>;
    let store: PetStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const count = async () => (await everything(store)).length;
    /** A count may take longer than it may on a busy machine: it is then asked for again. */
    const counts = async (filters: PetFilters, expected: number) => {
      let counted: number | undefined;
      await eventually(async () => {
        counted = await store.count(filters);
        return counted !== undefined;
      });
      expect(counted).toBe(expected);
    };

    test("is empty at first", async () => {
      expect(await store.list(FIRST)).toEqual([]);
      expect(await store.get(1n)).toBeUndefined();
    });

    test("gives back every pet exactly as it was added, by id and in the list", async () => {
      await eventuallyHolds(
        fc.asyncProperty(newPet, async (wanted) => {
          const pet = await store.create(wanted, { now: Date.now() });
          const { name, categoryId, status = "available" } = wanted;
          expect(pet).toEqual({ id: pet.id, name, categoryId, status, version: 1 });
          expect(await store.get(BigInt(pet.id))).toEqual(pet);
          expect(await store.list({ limit: 1, after: BigInt(pet.id - 1) })).toEqual([pet]);
        }),
        40,
      );
    });

    test("gives ids that are positive, increasing and below 2^53", async () => {
      let last = 0;
      for (let i = 0; i < 5; i++) {
        const { id } = await store.create(REX, { now: Date.now() });
        expect(Number.isSafeInteger(id) && id > last).toBe(true);
        last = id;
      }
    });

    test("gives pets that are added together ids of their own", async () => {
      const added = await Promise.all(
        Array.from({ length: 50 }, (_, i) => store.create({ ...REX, categoryId: BigInt(i) }, { now: Date.now() })),
      );
      expect(new Set(added.map(({ id }) => id)).size).toBe(50);
      for (const pet of added) expect(await store.get(BigInt(pet.id))).toEqual(pet);
    });

    test.each([0n, -1n, 999_999_999n, 2n ** 53n, INT64_MAX, INT64_MIN])("has no pet with the id %p", async (id) => {
      expect(await store.get(id)).toBeUndefined();
    });

    test("gives each of many reads at once what it asks for", async () => {
      const pets = await everything(store);
      const pages = fc.sample(page, 300);
      const [lists, found] = await Promise.all([
        Promise.all(pages.map((wanted) => store.list(wanted))),
        Promise.all([...pets, ...pets].map(({ id }) => store.get(BigInt(id)))),
      ]);
      expect(lists).toEqual(pages.map((wanted) => pageOf(pets, wanted)));
      expect(found).toEqual([...pets, ...pets]);
    });

    test("lists what a page asks for, in order: limit, after, order, and all filters in every combination", async () => {
      const wantedPets = NAMES.flatMap((name, i) => [
        { name, categoryId: EDGES[i % EDGES.length] ?? 0n, status: PetStatus.options[i % 3] },
        { name: name.toUpperCase(), categoryId: 0n, status: PetStatus.options[(i + 1) % 3] },
      ]);
      for (const pet of wantedPets) await store.create(pet, { now: Date.now() });
      await opened.refresh();
      const pets = await everything(store);
      await eventuallyHolds(
        fc.asyncProperty(page, async (wanted) => {
          expect(await store.list(wanted)).toEqual(pageOf(pets, wanted));
        }),
        150,
      );
    });

    test("lists the pets that match every combination of filters, before and after each of them", async () => {
      for (let i = 0; i < 12; i++) {
        const name = i % 2 === 0 ? "Filtered" : "FILTERED";
        await store.create(
          { name, categoryId: BigInt(70 + (i % 4)), status: PetStatus.options[(i * 7) % 3] },
          { now: Date.now() },
        );
      }
      await opened.refresh();
      const pets = await everything(store);
      const [pet] = pets.slice(-6);
      if (pet === undefined) throw new Error("there is no pet");
      const { status, categoryId, name } = pet;
      const filters = { status, categoryId, name, ids: pets.slice(-9).map(({ id }) => BigInt(id)) };
      for (let chosen = 0; chosen < 16; chosen++) {
        const some = Object.fromEntries(Object.entries(filters).filter((_, i) => (chosen >> i) % 2 === 1));
        for (const order of directions) {
          for (const after of [0n, INT64_MAX, BigInt(pet.id)]) {
            const wanted: Page = { ...some, limit: 5, after, order };
            expect(await store.list(wanted)).toEqual(pageOf(pets, wanted));
          }
        }
        await counts(some, pageOf(pets, { ...some, limit: Infinity, after: 0n }).length);
      }
    });

    test("counts many pets of a filter up to a bound, and all and those of a status always", async () => {
      const many = { name: "Counted", categoryId: 4_711n };
      await Promise.all(Array.from({ length: 10_001 }, () => store.create(many, { now: Date.now() })));
      await opened.refresh();
      const [all, available] = [await count(), (await store.inventory()).available];
      await counts({}, all);
      await counts({ status: "available" }, available);
      await counts({ ids: [1n, 2n, INT64_MAX] }, 2);
      for (const filter of [{ name: "COUNTED" }, { categoryId: 4_711n }, { name: "Counted", status: "sold" as const }])
        expect(await store.count(filter)).toBeUndefined();
      await store.delete(BigInt((await everything(store)).at(-1)?.id ?? 0), { now: Date.now() });
      await counts({ name: "COUNTED" }, 10_000);
      await counts({ categoryId: 4_711n, status: "available" }, 10_000);
      await counts({ categoryId: 4_711n, status: "sold" }, 0);
    });

    test("finds the few and the many pets whose names begin so, and counts the few", async () => {
      const filters: PetFilters[] = [
        { name: "counted*" },
        { name: "co*", status: "sold" },
        { name: "c*", categoryId: 4_711n },
        { name: `${"\ufdfa".repeat(40)}*` },
      ];
      const found = async (filter: PetFilters, order: Direction) => {
        const all: StoredPet[] = [];
        for (let after: bigint | undefined = order === "asc" ? 0n : INT64_MAX; after !== undefined; ) {
          const page: PetList = await store.list({ ...filter, order, after, limit: 2_500 });
          all.push(...page);
          const last: number | undefined = page.length === 2_500 ? page.at(-1)?.id : page.readTo;
          after = last === undefined ? undefined : BigInt(last);
        }
        return all;
      };
      const idsOf = (all: StoredPet[]) => all.map(({ id }) => id).join();
      for (const isFew of [true, false]) {
        if (!isFew) await store.create({ name: "COUNTED again", categoryId: 1n }, { now: Date.now() });
        await opened.refresh();
        const all = await everything(store, undefined, 2_500);
        expect(all.length).toBeGreaterThan(10_000);
        for (const filter of filters) {
          const order = isFew ? "asc" : "desc";
          const expected = pageOf(all, { ...filter, order, after: isFew ? 0n : INT64_MAX, limit: Infinity });
          expect(idsOf(await found(filter, order))).toBe(idsOf(expected));
        }
        if (isFew) await counts({ name: "COUNTED*" }, 10_000);
        else expect(await store.count({ name: "counted*" })).toBeUndefined();
        await counts({ name: "*" }, all.length);
      }
    });

    test("every name is found by each of its beginnings", async () => {
      const some = fc.sample(fc.constantFrom(...NAMES, "\u0391\u03a3\u03a3 \u0391\u03a3"), 25);
      for (const name of some) {
        const { id } = await store.create({ name, categoryId: 1n }, { now: Date.now() });
        await opened.refresh();
        const whole = [...name];
        for (const length of [1, Math.ceil(whole.length / 2), whole.length]) {
          const start = whole.slice(0, length).join("");
          if (!start.isWellFormed() || /^\u0301/.test(whole[length] ?? "")) continue;
          const filter = `${start.replace(/\\+$/, "$&$&")}*`;
          expect((await store.list({ name: filter, after: BigInt(id - 1), limit: 1 })).map((pet) => pet.id)).toEqual([
            id,
          ]);
        }
      }
    });

    test("walked page by page gives each pet once, also while pets are added", async () => {
      await eventuallyHolds(
        fc.asyncProperty(fc.integer({ min: 20, max: 101 }), fc.nat(3), async (limit, additions) => {
          const before = await everything(store);
          let pages = 0;
          const add = async () => {
            pages += 1;
            // Only to begin with: otherwise the walk would never arrive.
            if (pages <= 2)
              await Promise.all(Array.from({ length: additions }, () => store.create(REX, { now: Date.now() })));
          };
          const walked = await everything(store, add, limit);
          expect(walked.slice(0, before.length)).toEqual(before);
          expect(walked).toEqual(await everything(store));
        }),
        8,
      );
    });

    test("shows another process what was added, as soon as that is acknowledged", async () => {
      const pet = await store.create(REX, { now: Date.now() });
      await opened.refresh();
      expect(await opened.other.get(BigInt(pet.id))).toEqual(pet);
      const theirs = await opened.other.create(REX, { now: Date.now() });
      await opened.refresh();
      expect(await store.get(BigInt(theirs.id))).toEqual(theirs);
      expect(theirs.id).toBeGreaterThan(pet.id);
    });

    test("gives ids that never collide with another process's", async () => {
      const stores = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? store : opened.other));
      const ids = (await Promise.all(stores.map((its) => its.create(REX, { now: Date.now() })))).map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
    });

    test("adds one pet per idempotency key, for any number of requests to any process", async () => {
      states(
        "docs/development/stores.md",
        "The `Idempotency-Key` and a copy of the pet are stored in the transaction that adds the pet.",
      );
      const names = fc.array(fc.tuple(fc.nat(3), fc.nat(1), fc.boolean()), { minLength: 1, maxLength: 12 });
      let run = 0;
      await eventuallyHolds(
        fc.asyncProperty(names, async (asked) => {
          run += 1;
          const before = await count();
          /** By name: the pet it stands for. */
          const first = new Map<string, StoredPet>();
          for (const [number, its, isElsewhere] of asked) {
            const name = { keyId: `key_${its}`, key: `${run} ${number}`, now: NOW };
            const wanted = { ...REX, categoryId: BigInt(number) };
            const { created: pet, isReplay } = await (isElsewhere ? opened.other : store).createIdempotently(
              wanted,
              name,
            );
            const known = first.get(`${its} ${number}`);
            expect(isReplay).toBe(known !== undefined);
            expect(pet).toEqual(
              known ?? { id: pet.id, ...REX, categoryId: BigInt(number), status: "available", version: 1 },
            );
            first.set(`${its} ${number}`, pet);
          }
          expect(await count()).toBe(before + first.size);
        }),
        20,
      );
    });

    test("adds one pet for concurrent requests with one idempotency key, and refuses the others as in progress", async () => {
      const before = await count();
      const asked = Array.from({ length: 40 }, (_, i) =>
        (i % 2 === 0 ? store : opened.other).createIdempotently(REX, { keyId: "key_1", key: "at once", now: NOW }),
      );
      const outcomes = await Promise.allSettled(asked);
      expect(await count()).toBe(before + 1);
      const done = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
      expect(done.filter(({ isReplay }) => !isReplay)).toHaveLength(1);
      const refused = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason.code);
      expect(refused.length).toBeGreaterThan(30);
      expect(new Set(refused)).toEqual(new Set(["idempotency_in_progress"]));
    });

    test("adds a pet for each of the API keys that use one idempotency key at once", async () => {
      const keyIds = ["key_1", "key_2", "key_3"];
      const wanted: NewPet = { ...REX, name: "Of Each", status: "sold" };
      const { sold } = await store.inventory();
      const outcomes = await Promise.all(
        keyIds.map((keyId) => store.createIdempotently(wanted, { keyId, key: "of each", now: NOW })),
      );
      expect(outcomes.map(({ isReplay }) => isReplay)).toEqual([false, false, false]);
      const created = outcomes.map(({ created }) => created).toSorted((a, b) => a.id - b.id);
      await opened.refresh();
      expect(created).toMatchObject([wanted, wanted, wanted]);
      expect((await store.inventory()).sold).toBe(sold + 3);
      expect(await store.list({ ...FIRST, name: "of each" })).toEqual(created);
    });

    test("adds all pets of a batch in their order, beside others, and no pet twice for one idempotency key", async () => {
      const before = await count();
      const batchOf = (name: string, size: number): NewPet[] =>
        Array.from({ length: size }, (_, i) => ({ name: `${name} ${i}`, categoryId: BigInt(i % 7) }));
      const added = await Promise.all(
        Array.from({ length: 8 }, async (_, i) => {
          const its = i % 2 === 0 ? store : opened.other;
          const key = i % 4 < 2 ? { keyId: "key_1", key: `batch ${i}`, now: NOW } : undefined;
          const pets = batchOf(`Batch ${i}`, 10 * i + 1);
          const { created, isReplay } = await its.createAll(pets, { key, now: NOW });
          await its.create(REX, { now: NOW });
          expect(isReplay).toBe(false);
          const ids = created.map(({ id }) => id);
          expect(ids.toSorted((a, b) => a - b)).toEqual(ids);
          expect(created).toEqual(
            pets.map((pet, j) => ({ id: Number(ids[j]), ...pet, status: "available", version: 1 })),
          );
          return { key, pets, created };
        }),
      );
      await opened.refresh();
      const all = added.flatMap(({ created }) => created);
      expect(new Set(all.map(({ id }) => id)).size).toBe(288);
      for (const { key, pets, created } of added) {
        const ids = created.map(({ id }) => BigInt(id));
        expect(await store.list({ limit: 100, after: 0n, ids })).toEqual(created);
        if (key === undefined) continue;
        expect(await opened.other.createAll(pets, { key, now: NOW })).toEqual({ created, isReplay: true });
        const reused = opened.other.createAll(pets.slice(1).concat(REX, REX), { key, now: NOW });
        expect(await reused.catch(({ code }) => code)).toBe("idempotency_key_reused");
      }
      expect(await count()).toBe(before + 288 + 8);
      expect((await store.inventory()).available).toBeGreaterThanOrEqual(288);
    });

    test("refuses an idempotency key that was used for another pet, without failing others", async () => {
      const name = { keyId: "key_1", key: "reused", now: NOW };
      const first = await store.createIdempotently(REX, name);
      const others: NewPet[] = [
        { ...REX, name: "Mia" },
        { ...REX, categoryId: 2n },
        { ...REX, status: "sold" },
      ];
      for (const other of others) {
        const refused = store.createIdempotently(other, name).catch(({ code }) => code);
        await store.create(REX, { now: Date.now() });
        expect(await refused).toBe("idempotency_key_reused");
      }
      expect(await store.createIdempotently({ ...REX, status: "available" }, name)).toEqual({
        ...first,
        isReplay: true,
      });
    });

    test("keeps an idempotency key for 24 hours, then it may be used for another pet", async () => {
      const name = { keyId: "key_1", key: "a day", now: NOW };
      const { created: pet } = await store.createIdempotently(REX, name);
      expect(await store.createIdempotently(REX, { ...name, now: NOW + DAY - 1 })).toEqual({
        created: pet,
        isReplay: true,
      });
      const next = await store.createIdempotently({ ...REX, name: "Mia" }, { ...name, now: NOW + DAY });
      expect(next).toMatchObject({ isReplay: false, created: { name: "Mia" } });
      expect(await store.createIdempotently({ ...REX, name: "Mia" }, { ...name, now: NOW + DAY + 1 })).toEqual({
        ...next,
        isReplay: true,
      });
      expect(next.created.id).toBeGreaterThan(pet.id);
      expect(await store.get(BigInt(pet.id))).toEqual(pet);
    });

    test("a replay takes no id", async () => {
      const name = { keyId: "key_1", key: "replayed", now: NOW };
      const { created: pet } = await store.createIdempotently(REX, name);
      for (let i = 0; i < 5; i++) await store.createIdempotently(REX, name);
      expect((await store.create(REX, { now: Date.now() })).id).toBe(pet.id + 1);
    });

    test("has another revision after every change by any process, if it has revisions", async () => {
      await opened.refresh();
      const seen = [store.revision()];
      if (seen[0] === undefined) return;
      for (const writer of [store, opened.other, store]) {
        await writer.create(REX, { now: Date.now() });
        await opened.refresh();
        seen.push(store.revision());
      }
      expect(new Set(seen).size).toBe(seen.length);
      await store.list(FIRST);
      await opened.refresh();
      expect(store.revision()).toBe(seen.at(-1) ?? 0);
    });
  });
}

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tagOfVersion } from "../../src/domain/changes.ts";
import { type NewPet, type PetPatch, PetStatus, type PetStore, type StoredPet } from "../../src/domain/pets.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

const REX: NewPet = { name: "Rex", categoryId: 1n };
const name = fc.constantFrom("Rex", "Mia", "'; --", "\u{1F415}");
const categoryId = fc.constantFrom(1n, -(2n ** 63n), 2n ** 63n - 1n);
const status = fc.constantFrom(...PetStatus.options);
const patch: fc.Arbitrary<PetPatch> = fc.record({ name, categoryId, status }, { requiredKeys: [] });

/** Of which pet, counted from the first; with which versions, counted from the current one. */
const target = {
  pet: fc.nat(3),
  versions: fc.option(fc.array(fc.integer({ min: -1, max: 1 }), { maxLength: 2 }), { nil: undefined, freq: 2 }),
  isElsewhere: fc.boolean(),
};
const step = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), status }),
  fc.record({ kind: fc.constant("update" as const), ...target, patch }),
  fc.record({ kind: fc.constant("delete" as const), ...target }),
);

const TRANSITIONS = ["available pending", "available sold", "pending available", "pending sold", "sold available"];

/** The pet after a change, or the code of the refusal. */
function expected(pet: StoredPet | undefined, patch: PetPatch, versions: number[] | undefined): StoredPet | string {
  if (pet === undefined) return "pet_not_found";
  if (versions !== undefined && !versions.includes(pet.version)) return "precondition_failed";
  const { name = pet.name, categoryId = pet.categoryId, status = pet.status } = patch;
  const after = { ...pet, name, categoryId, status };
  const isSame = after.name === pet.name && after.categoryId === pet.categoryId && after.status === pet.status;
  if (isSame) return pet;
  if (after.status !== pet.status && !TRANSITIONS.includes(`${pet.status} ${after.status}`))
    return "invalid_transition";
  return { ...after, version: pet.version + 1 };
}

const codeOf = ({ code }: { code: string }) => code;

/** How every PetStore changes and removes pets. */
export function petChangesConformance(engine: string, open: () => Promise<Opened<PetStore>>): void {
  describe(`${engine} as a store whose pets change`, () => {
    let opened: Opened<PetStore>;
    let store: PetStore;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
    });
    afterAll(() => opened.close());

    const current = async (id: number) => {
      await opened.refresh();
      return store.get(BigInt(id));
    };

    test("changes and removes no pet with a tag that is excluded", async () => {
      const { id, version } = await store.create(REX, { now: Date.now() });
      for (const ifNoneMatch of [[tagOfVersion(version)], "any" as const]) {
        const preconditions = { ifNoneMatch };
        const refused = store.update(BigInt(id), { name: "Mia" }, { now: Date.now(), preconditions });
        expect(await refused.catch(codeOf)).toBe("precondition_failed");
        expect(await store.delete(BigInt(id), { now: Date.now(), preconditions }).catch(codeOf)).toBe(
          "precondition_failed",
        );
      }
      const preconditions = { ifNoneMatch: [tagOfVersion(version + 1)] };
      const changed = await store.update(BigInt(id), { name: "Mia" }, { now: Date.now(), preconditions });
      expect(changed).toMatchObject({ name: "Mia", version: version + 1 });
      expect(await store.delete(BigInt(id), { now: Date.now(), preconditions }).catch(codeOf)).toBe(
        "precondition_failed",
      );
      await store.delete(BigInt(id), { now: Date.now(), preconditions: { ifNoneMatch: [tagOfVersion(version)] } });
    });

    test("agrees with a model after every creation, change and removal", async () => {
      await eventuallyHolds(
        fc.asyncProperty(fc.array(step, { maxLength: 12, size: "max" }), async (steps) => {
          const ids: number[] = [];
          const pets = new Map<number, StoredPet>();
          for (const one of steps) {
            if (one.kind === "create") {
              const pet = await store.create({ ...REX, status: one.status }, { now: Date.now() });
              ids.push(pet.id);
              pets.set(pet.id, pet);
            } else {
              const id = ids[one.pet] ?? Number.MAX_SAFE_INTEGER;
              const pet = pets.get(id);
              const versions = one.versions?.map((offset) => (pet?.version ?? 1) + offset);
              const tags = versions?.map(tagOfVersion);
              const its = one.isElsewhere ? opened.other : store;
              if (one.kind === "update") {
                const wanted = expected(pet, one.patch, versions);
                expect(
                  await its
                    .update(BigInt(id), one.patch, { now: Date.now(), preconditions: { ifMatch: tags } })
                    .catch(codeOf),
                ).toEqual(wanted);
                if (typeof wanted !== "string") pets.set(id, wanted);
              } else {
                const wanted = expected(pet, {}, versions);
                const refusal = typeof wanted === "string" ? wanted : undefined;
                expect(
                  await its
                    .delete(BigInt(id), { now: Date.now(), preconditions: { ifMatch: tags } })
                    .then(() => undefined, codeOf),
                ).toBe(refusal);
                if (refusal === undefined) pets.delete(id);
              }
            }
            await opened.refresh();
            const after = BigInt((ids[0] ?? 1) - 1);
            expect(await store.list({ limit: 101, after })).toEqual([...pets.values()]);
            for (const id of ids) expect(await store.get(BigInt(id))).toEqual(pets.get(id));
          }
          for (const id of pets.keys()) await store.delete(BigInt(id), { now: Date.now() });
        }),
        25,
      );
    });

    const pairs = PetStatus.options.flatMap((from) => PetStatus.options.map((to) => ({ from, to })));
    test.each(pairs)("a pet that is $from becomes $to, or stays as it is", async ({ from, to }) => {
      const pet = await store.create({ ...REX, status: from }, { now: Date.now() });
      const outcome = await store
        .update(BigInt(pet.id), { name: "Max", status: to }, { now: Date.now() })
        .catch(codeOf);
      const wanted = expected(pet, { name: "Max", status: to }, undefined);
      expect<unknown>(outcome).toEqual(wanted);
      expect(await current(pet.id)).toEqual(typeof wanted === "string" ? pet : wanted);
    });

    test("lists a pet under its new status alone", async () => {
      const { id } = await store.create(REX, { now: Date.now() });
      await store.update(BigInt(id), { status: "sold" }, { now: Date.now() });
      await opened.refresh();
      const ids = [BigInt(id)];
      expect(await store.list({ limit: 1, after: 0n, status: "available", ids })).toEqual([]);
      expect(await store.list({ limit: 1, after: 0n, status: "sold", ids })).toMatchObject([{ id, version: 2 }]);
    });

    test("lists a pet under its new name alone, in any case", async () => {
      const { id } = await store.create({ ...REX, name: "Before" }, { now: Date.now() });
      await store.update(BigInt(id), { name: "After" }, { now: Date.now() });
      await opened.refresh();
      const listed = async (name: string) => (await store.list({ limit: 100, after: BigInt(id - 1), name })).length;
      expect(await listed("AFTER")).toBe(1);
      expect(await listed("before")).toBe(0);
    });

    test("refuses one change without failing those that run at the same time", async () => {
      const { id } = await store.create({ ...REX, status: "sold" }, { now: Date.now() });
      const outcomes = await Promise.allSettled([
        store.create(REX, { now: Date.now() }),
        store.update(BigInt(id), { status: "pending" }, { now: Date.now() }),
        store.update(BigInt(id), { name: "Mia" }, { now: Date.now() }),
        store.delete(999_999_999n, { now: Date.now() }),
        store.create(REX, { now: Date.now() }),
      ]);
      const results = outcomes.map((each) => (each.status === "fulfilled" ? "done" : each.reason.code));
      expect(results).toEqual(["done", "invalid_transition", "done", "pet_not_found", "done"]);
      expect(await current(id)).toMatchObject({ name: "Mia", status: "sold", version: 2 });
    });

    test("of changes to one version, by however many processes, makes one", async () => {
      states(
        "docs/development/stores.md",
        "A change reads and locks the row, decides by a pure rule, and writes, in one transaction. Every change raises the pet's version, which is its ETag.",
      );
      const { id } = await store.create(REX, { now: Date.now() });
      for (let version = 1; version <= 10; version++) {
        const changes = Array.from({ length: 8 }, (_, i) =>
          (i % 2 === 0 ? store : opened.other).update(
            BigInt(id),
            { name: `Rex ${version} ${i}` },
            { now: Date.now(), preconditions: { ifMatch: [tagOfVersion(version)] } },
          ),
        );
        const outcomes = await Promise.allSettled(changes);
        const made = outcomes.filter((outcome) => outcome.status === "fulfilled").map(({ value }) => value);
        expect(made).toHaveLength(1);
        expect(await current(id)).toEqual(made[0]);
        const refused = outcomes.filter((outcome) => outcome.status === "rejected").map(({ reason }) => reason.code);
        expect(new Set(refused)).toEqual(new Set(["precondition_failed"]));
      }
    });

    test("loses no change without versions, by however many processes", async () => {
      const { id } = await store.create(REX, { now: Date.now() });
      const changes = Array.from({ length: 24 }, (_, i) =>
        (i % 2 === 0 ? store : opened.other).update(BigInt(id), { categoryId: BigInt(i + 2) }, { now: Date.now() }),
      );
      const versions = (await Promise.all(changes)).map(({ version }) => version);
      expect(versions.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 24 }, (_, i) => i + 2));
    });

    test("assigns the id of a removed pet to none that comes later", async () => {
      const { id } = await store.create(REX, { now: Date.now() });
      await store.delete(BigInt(id), { now: Date.now() });
      expect((await store.create(REX, { now: Date.now() })).id).toBeGreaterThan(id);
      expect(await store.delete(BigInt(id), { now: Date.now() }).catch(codeOf)).toBe("pet_not_found");
    });
  });
}

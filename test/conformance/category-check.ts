import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { Stores } from "../../src/wiring/stores.ts";
import { states } from "../support/markdown.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

type Checked = Pick<Stores, "pets" | "categories" | "bulk" | "audit">;

const NOW = 1_800_000_000_000;
const UNKNOWN = 987_654_321n;
const codeOf = ({ code }: { code: string }) => code;

/** How every store refuses pets of unknown categories, if it was opened to do so. */
export function categoryCheckConformance(engine: string, open: () => Promise<Opened<Checked>>): void {
  describe(`${engine} as a store that checks categories`, () => {
    let opened: Opened<Checked>;
    let store: Checked;
    let categoryId: bigint;
    beforeAll(async () => {
      opened = await open();
      store = opened.store;
      categoryId = (await store.categories.create({ name: "Dogs" }, { now: Date.now() })).created.id;
    });
    afterAll(() => opened.close());

    test("adds a pet of a category that exists, and refuses one of another, naming the field", async () => {
      expect(await store.pets.create({ name: "Rex", categoryId }, { now: Date.now() })).toMatchObject({ categoryId });
      const refusal = await store.pets
        .create({ name: "Rex", categoryId: UNKNOWN }, { now: Date.now() })
        .catch((error) => error);
      expect(refusal).toMatchObject({
        code: "validation_failed",
        details: [{ field: "categoryId", problem: "must be the id of a category" }],
      });
    });

    test("refuses it with an idempotency key too, which may then be used again", async () => {
      const key = { keyId: "key_1", key: "refused", now: NOW };
      const before = await store.pets.inventory();
      expect(await store.pets.createIdempotently({ name: "Rex", categoryId: UNKNOWN }, key).catch(codeOf)).toBe(
        "validation_failed",
      );
      const { created, isReplay } = await store.pets.createIdempotently({ name: "Rex", categoryId }, key);
      expect(isReplay).toBe(false);
      expect(await opened.other.pets.createIdempotently({ name: "Rex", categoryId }, key)).toEqual({
        created,
        isReplay: true,
      });
      const after = await store.pets.inventory();
      expect(after.available).toBe(before.available + 1);
    });

    test("refuses all of a batch with a pet of such a category, and names the pet, while others are added", async () => {
      const before = await store.pets.inventory();
      const pets = [categoryId, categoryId, UNKNOWN, categoryId, UNKNOWN].map((id) => ({
        name: "Rex",
        categoryId: id,
      }));
      const keys = [undefined, { keyId: "key_1", key: "batch", now: NOW }];
      for (const key of keys) {
        const [refusal, pet] = await Promise.all([
          store.pets.createAll(pets, { key, now: NOW }).catch((error) => error),
          store.pets.create({ name: "Mia", categoryId }, { now: NOW }),
        ]);
        expect(refusal).toMatchObject({ code: "validation_failed", details: [{ field: "pets.2.categoryId" }] });
        expect(pet).toMatchObject({ name: "Mia" });
        const { created } = await store.pets.createAll(pets.slice(0, 2), { key, now: NOW });
        expect(created).toHaveLength(2);
      }
      expect((await store.pets.inventory()).available).toBe(before.available + 6);
    });

    test("refuses it from an operator, without an entry in the audit log", async () => {
      const options = { by: { operator: { name: "category check" } }, now: NOW };
      expect(await store.pets.create({ name: "Rex", categoryId: UNKNOWN }, options).catch(codeOf)).toBe(
        "validation_failed",
      );
      const entries = () => opened.other.audit.list({ limit: 9, operator: "category check" });
      expect(await entries()).toEqual([]);
      const pet = await store.pets.create({ name: "Rex", categoryId }, options);
      expect(await entries()).toMatchObject([{ at: NOW, action: "pet.create", target: String(pet.id) }]);
    });

    test("a pet cannot get an unknown category, before anything else is decided", async () => {
      const { id } = await store.pets.create({ name: "Rex", categoryId }, { now: Date.now() });
      const update = (pet: bigint, patch: object, tags?: string[]) =>
        store.pets
          .update(pet, patch, { now: Date.now(), preconditions: { ifMatch: tags } })
          .then(() => "changed", codeOf);
      expect(await update(BigInt(id), { categoryId: UNKNOWN })).toBe("validation_failed");
      expect(await update(BigInt(id), { categoryId: UNKNOWN }, [])).toBe("validation_failed");
      expect(await update(999_999n, { categoryId: UNKNOWN })).toBe("validation_failed");
      expect(await update(999_999n, { categoryId })).toBe("pet_not_found");
      expect(await update(BigInt(id), { name: "Max", categoryId })).toBe("changed");
    });

    test("a pet keeps a category that does not exist, until it gets another", async () => {
      states("docs/categories.md", "Pets that have such an id already keep it.");
      // As it was before the store checked categories.
      await store.bulk.add([{ name: "Earlier", categoryId: UNKNOWN }], ENTRY);
      const [pet] = await store.pets.list({ name: "Earlier", after: 0n, limit: 1 });
      const id = BigInt(pet?.id ?? 0);
      const patch = { name: "Later", categoryId: UNKNOWN };
      expect(await store.pets.update(id, patch, { now: Date.now() })).toMatchObject(patch);
      expect(await store.pets.update(id, { categoryId }, { now: Date.now() })).toMatchObject({ categoryId });
      expect(await store.pets.update(id, { categoryId: UNKNOWN }, { now: Date.now() }).catch(codeOf)).toBe(
        "validation_failed",
      );
    });

    test("adds many pets only if all of their categories exist", async () => {
      const pets = [categoryId, UNKNOWN].map((categoryId) => ({ name: "Bulk", categoryId }));
      expect(await store.bulk.add(pets, ENTRY, [categoryId, UNKNOWN])).toBe(false);
      expect(await store.pets.list({ name: "Bulk", after: 0n, limit: 1 })).toEqual([]);
      expect(await store.bulk.add(pets.slice(0, 1), ENTRY, [categoryId])).toBe(true);
      expect(await store.pets.list({ name: "Bulk", after: 0n, limit: 2 })).toMatchObject([{ categoryId }]);
    });

    test("of many pets that get a category and the category's removal at once, one is refused", async () => {
      for (let round = 0; round < 20; round++) {
        const { created } = await store.categories.create({ name: `Bulk ${round}` }, { now: Date.now() });
        const [removal, hasAdded] = await Promise.all([
          store.categories.delete(created.id, { now: Date.now() }).then(() => "removed", codeOf),
          opened.other.bulk.add([{ name: "Rex", categoryId: created.id }], ENTRY, [created.id]),
        ]);
        expect(["removed false", "category_in_use true"]).toContain(`${removal} ${hasAdded}`);
      }
    });

    test("of a pet that gets a category and the category's removal at once, one is refused", async () => {
      states("docs/categories.md", "decided in the same transaction as the change.");
      for (let round = 0; round < 20; round++) {
        const { created } = await store.categories.create({ name: `Round ${round}` }, { now: Date.now() });
        const [removal, creation] = await Promise.all([
          store.categories.delete(created.id, { now: Date.now() }).then(() => "removed", codeOf),
          opened.other.pets
            .create({ name: "Rex", categoryId: created.id }, { now: Date.now() })
            .then(() => "added", codeOf),
        ]);
        expect(["removed validation_failed", "category_in_use added"]).toContain(`${removal} ${creation}`);
      }
    });
  });
}

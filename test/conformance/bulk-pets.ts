import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type AuditLog, IMPORT_PAUSE } from "../../src/domain/audit.ts";
import type { BulkPets, Pet, PetStatus, PetStore } from "../../src/domain/pets.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

export type Catalogue = { bulk: BulkPets; pets: PetStore; audit: AuditLog };

/** More than two pages of a snapshot. */
const MANY = 2_500;

/** What every BulkPets does, on each engine. */
export function bulkPetsConformance(name: string, open: () => Promise<Opened<Catalogue>>): void {
  describe(`${name} for bulk import and export`, () => {
    let opened: Opened<Catalogue>;
    beforeAll(async () => {
      opened = await open();
      const { bulk } = opened.store;
      const statuses: (PetStatus | undefined)[] = ["available", "pending", "sold", undefined];
      await bulk.add(
        Array.from({ length: MANY }, (_, i) => {
          const status = statuses[i % statuses.length];
          return { name: `Pet ${i}`, categoryId: BigInt(i) - 5n, ...(status !== undefined && { status }) };
        }),
        ENTRY,
      );
    });
    afterAll(() => opened.close());

    const pagesOf = (status?: PetStatus) => Array.fromAsync(opened.store.bulk.snapshot(status));

    test("a snapshot has every pet once, by id", async () => {
      const pets = (await pagesOf()).flat();
      expect(pets.map((pet) => pet.name)).toEqual(Array.from({ length: MANY }, (_, i) => `Pet ${i}`));
      expect(pets.map(({ categoryId }) => categoryId)).toEqual(Array.from({ length: MANY }, (_, i) => BigInt(i) - 5n));
      const ids = pets.map(({ id }) => id);
      expect(ids).toEqual(ids.toSorted((a, b) => a - b));
    });

    test("pets are added with the audit entry that their import would have, are in the inventory, and are found by their names", async () => {
      const { bulk, pets, audit } = opened.store;
      const before = await pets.inventory();
      const statuses = ["available", "sold", "pending", "sold", "sold", "pending"] as const;
      await bulk.add(
        statuses.map((status) => ({ name: "Ｍａｎｙ", categoryId: 1n, status })),
        { ...ENTRY, target: "many" },
      );
      expect(await audit.list({ limit: 9, target: "many" })).toEqual([]);
      await audit.endAbandonedImports(ENTRY.at + IMPORT_PAUSE + 1);
      expect(await audit.list({ limit: 9, target: "many" })).toHaveLength(1);
      await opened.refresh();
      const after = await pets.inventory();
      expect(after).toEqual({
        available: before.available + 1,
        pending: before.pending + 2,
        sold: before.sold + 3,
      });
      const found = await pets.list({ name: "many", after: 0n, limit: 10 });
      expect(found.map(({ status }) => status).toSorted()).toEqual(statuses.toSorted());
      for (const { id } of found) await pets.delete(BigInt(id), { now: Date.now() });
    });

    test("its pages have five hundred pets at most", async () => {
      expect((await pagesOf()).map((page) => page.length)).toEqual([500, 500, 500, 500, 500]);
    });

    test("a snapshot of one status has all pets of that status, and no others", async () => {
      const sold = (await pagesOf("sold")).flat();
      expect(sold.map((pet) => pet.name)).toEqual(Array.from({ length: MANY / 4 }, (_, i) => `Pet ${4 * i + 2}`));
      expect(new Set(sold.map(({ status }) => status))).toEqual(new Set(["sold"]));
      expect((await pagesOf("available")).flat()).toHaveLength(MANY / 2);
    });

    test("a snapshot is of one moment: it has no pet that is added meanwhile, by any process", async () => {
      const names: string[] = [];
      let pages = 0;
      for await (const page of opened.store.bulk.snapshot()) {
        names.push(...page.map((pet: Pet) => pet.name));
        pages += 1;
        for (const { pets } of [opened.store, opened.other])
          await pets.create({ name: "Meanwhile", categoryId: 1n }, { now: Date.now() });
      }
      expect(pages).toBe(5);
      expect(names).toHaveLength(MANY);
      expect(names).not.toContain("Meanwhile");
      expect((await pagesOf()).flat()).toHaveLength(MANY + 2 * pages);
    });

    test("a snapshot that is left early keeps nothing locked or open", async () => {
      for (let i = 0; i < 200; i++) for await (const _ of opened.store.bulk.snapshot()) break;
      await opened.other.bulk.add([{ name: "After", categoryId: 1n }], ENTRY);
      expect((await pagesOf()).flat().at(-1)?.name).toBe("After");
    });
  });
}

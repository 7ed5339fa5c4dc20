import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { detailsOf } from "../../src/domain/events.ts";
import { toJson } from "../../src/domain/json.ts";
import { orderJson } from "../../src/domain/orders.ts";
import { resetShop, type Shop, sampleShop } from "../../src/domain/shop.ts";
import type { Stores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

export type Contents = Pick<Stores, "shop" | "pets" | "categories" | "orders" | "audit" | "events">;

const NOW = 1_800_000_000_000;
const RESET = { by: TESTER, now: NOW };
const EMPTY: Shop = { categories: [], pets: [], orders: [] };
const REX = { name: "Rex", categoryId: 1n };
/** How many rounds of concurrent requests there are. */
const ROUNDS = 25;

/** What every ShopStore does, on each engine. */
export function shopStoreConformance(name: string, open: () => Promise<Opened<Contents>>): void {
  describe(`${name} for the contents of a shop`, () => {
    let opened: Opened<Contents>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    /** Everything that clients see, as another process sees it. */
    async function contents() {
      await opened.refresh();
      const { pets, categories, orders } = opened.other;
      return {
        pets: await pets.list({ after: 0n, limit: 1_000 }),
        categories: await categories.list({ limit: 1_000 }),
        orders: await orders.list({ after: 0n, limit: 1_000 }),
        inventory: await pets.inventory(),
        orderCounts: await orders.counts(),
      };
    }

    async function expectExactCounts(): Promise<void> {
      const { pets, orders, inventory, orderCounts } = await contents();
      expect(inventory).toEqual({ available: 0, pending: 0, sold: 0, ...countsOf(pets) });
      expect(orderCounts).toEqual({ placed: 0, approved: 0, delivered: 0, cancelled: 0, ...countsOf(orders) });
    }

    test("production is never reset by any caller", async () => {
      const { id } = await opened.store.pets.create(REX, { now: NOW });
      const before = await contents();
      const refused = resetShop(opened.store.shop, "production", sampleShop({ pets: 3, now: NOW }), RESET);
      await expect(refused).rejects.toMatchObject({ code: "invalid_state" });
      expect(await contents()).toEqual(before);
      await opened.store.pets.delete(BigInt(id), { now: NOW });
    });

    test("an empty store has all of the shop: pets by their place, orders of those pets, categories under their ids", async () => {
      const shop = sampleShop({ pets: 157, now: NOW });
      const ids = await opened.store.shop.replace(shop, { by: { operator: { name: "first" } }, now: NOW });
      const { pets, categories, orders } = await contents();
      expect(pets.map(({ id }) => id)).toEqual(ids);
      expect(pets.map(({ name, categoryId, status }) => ({ name, categoryId, status }))).toEqual(shop.pets as []);
      expect(categories.map(({ id, name }) => ({ id, name }))).toEqual(shop.categories);
      expect(
        orders.map(({ id: _id, version: _version, petId, ...rest }) => ({ ...rest, pet: ids.indexOf(petId) })),
      ).toEqual(shop.orders);
      for (const { petId, pet } of orders) {
        const { name, categoryId } = pets.find(({ id }) => id === petId) ?? { name: "" };
        expect<unknown>(pet).toEqual({ name, categoryId });
      }
      await expectExactCounts();
      expect(await opened.other.audit.list({ limit: 9, operator: "first" })).toMatchObject([
        { operator: { name: "first" }, at: NOW, action: "shop.replace", after: { pets: 157n } },
      ]);
    });

    test("nothing stays of the contents before, and no id is given again", async () => {
      const { shop, pets } = opened.store;
      const before = await contents();
      const highest = (await pets.create(REX, { now: Date.now() })).id;
      await pets.delete(BigInt(highest), { now: Date.now() });
      const ids = await shop.replace(sampleShop({ pets: 12, seed: 2, now: NOW }), RESET);
      const after = await contents();
      expect(after.pets).toHaveLength(12);
      expect(Math.min(...ids)).toBeGreaterThan(highest);
      const lastOrder = before.orders.at(-1)?.id;
      expect(after.orders.length).toBeGreaterThan(0);
      for (const { id } of after.orders) expect(id).toBeGreaterThan(Number(lastOrder));
      await expectExactCounts();
      expect((await pets.create(REX, { now: Date.now() })).id).toBeGreaterThan(Math.max(...ids));
    });

    test("a category gets a version that it never had, and may swap its name with another", async () => {
      states(
        "docs/development/stores.md",
        "Ids go on, and categories get versions that they never had, so that no cache and no `ETag` fits new data.",
      );
      const { shop, categories } = opened.store;
      const versions = async () =>
        new Map((await contents()).categories.map(({ id, version }) => [id, version] as const));
      await shop.replace(
        {
          ...EMPTY,
          categories: [
            { id: 1n, name: "Dogs" },
            { id: 2n, name: "Cats" },
            { id: 3n, name: "Birds" },
          ],
        },
        RESET,
      );
      await categories.put({ id: 1n, name: "Hounds" }, { now: Date.now() });
      const before = await versions();
      await shop.replace(
        {
          ...EMPTY,
          categories: [
            { id: 1n, name: "Cats" },
            { id: 2n, name: "Hounds" },
          ],
        },
        RESET,
      );
      const after = await versions();
      expect([...after.keys()]).toEqual([1n, 2n]);
      for (const [id, version] of after) expect(version).toBeGreaterThan(Number(before.get(id)));
      await shop.replace(EMPTY, RESET);
      expect((await contents()).categories).toEqual([]);
      const { category } = await categories.put({ id: 1n, name: "Dogs" }, { now: Date.now() });
      expect(category.version).toBeGreaterThan(Number(after.get(1n)));
    });

    test("the event of each removed order has its last state", async () => {
      states(
        "docs/events.md",
        "and `order.deleted`, when an old order is deleted by the retention, or staging is reset.",
      );
      const { shop, pets, orders, events } = opened.store;
      const name = `Größe "\\/\u{1f436}`;
      for (const reference of [undefined, `Nº 7 "\\/\u{1f436}`]) {
        const { id } = await pets.create({ name, categoryId: 9223372036854775807n }, { now: Date.now() });
        await orders.place(BigInt(id), NOW, { reference });
      }
      const before = (await contents()).orders;
      const after = await events.newest();
      await shop.replace(EMPTY, RESET);
      const removed = await events.list({ limit: 100, after, types: ["order.deleted"] });
      expect(removed.map((event) => detailsOf(event).data).toSorted()).toEqual(
        before.map((o) => toJson(orderJson(o))).toSorted(),
      );
    });

    test("an idempotency key may be used for another pet", async () => {
      const { shop, pets } = opened.store;
      const key = { keyId: "key_1", key: "once", now: NOW };
      const { created } = await pets.createIdempotently(REX, key);
      await shop.replace(EMPTY, RESET);
      const second = await pets.createIdempotently({ ...REX, name: "Other" }, key);
      expect(second).toMatchObject({ isReplay: false });
      expect(second.created.id).toBeGreaterThan(created.id);
    });

    test("a shop that cannot be stored leaves everything as it was", async () => {
      const { shop } = opened.store;
      await shop.replace(sampleShop({ pets: 20, now: NOW }), RESET);
      const before = await contents();
      const sameNames = [
        { id: 1n, name: "Dogs" },
        { id: 2n, name: "DOGS" },
      ];
      const wrongPet = { pet: 0, status: "placed" as const, createdAt: Number.NaN, updatedAt: NOW };
      for (const wrong of [
        { ...EMPTY, categories: sameNames },
        { ...EMPTY, pets: [{ ...REX, status: "pending" as const }], orders: [wrongPet] },
      ]) {
        expect(
          await shop.replace(wrong, RESET).then(
            () => "replaced",
            ({ code }) => code,
          ),
        ).toBe("service_unavailable");
        expect(await contents()).toEqual(before);
      }
    });

    test("requests at the same moment come before or after: pets, orders and counts agree", async () => {
      states(
        "docs/development/stores.md",
        "a pet that is added meanwhile stays, and an order that was placed for a removed pet, after the orders were removed, is removed too.",
      );
      for (let round = 0; round < ROUNDS; round++) {
        const { store, other } = opened;
        await store.shop.replace(sampleShop({ pets: 30, seed: round, now: NOW }), RESET);
        const { pets, orders } = await contents();
        const available = pets.filter(({ status }) => status === "available");
        const [placed] = orders.filter(({ status }) => status === "placed");
        const key = { keyId: "key_1", key: `round ${round}`, now: NOW };
        const [one, another, third] = available.map(({ id }) => BigInt(id));
        if (one === undefined || another === undefined || third === undefined) throw new Error("too few pets");
        const requests = [
          () => other.orders.place(one, NOW),
          () => other.orders.place(another, NOW, { key }),
          () => other.pets.update(third, { status: "sold" }, { now: Date.now() }),
          () => other.pets.delete(third, { now: Date.now() }),
          () => other.pets.create(REX, { now: Date.now() }).then(({ id }) => other.orders.place(BigInt(id), NOW)),
          () => (placed === undefined ? Promise.resolve() : other.orders.update(BigInt(placed.id), "approved", NOW)),
        ];
        const replace = () => store.shop.replace(sampleShop({ pets: 30, seed: round + 1, now: NOW }), RESET);
        // The replacement comes at another place in each round.
        requests.splice(round % (requests.length + 1), 0, replace as () => Promise<never>);
        const outcomes = await Promise.all(
          requests.map((run) =>
            run().then(
              () => "done",
              ({ code }) => code,
            ),
          ),
        );
        expect(["done", "pet_not_found", "order_not_found"]).toEqual(expect.arrayContaining(outcomes));
        await expectExactCounts();
        const after = await contents();
        expect(after.pets.length - 30).toBeOneOf([0, 1]);
        const petIds = new Set(after.pets.map(({ id }) => id));
        for (const { petId } of after.orders) expect(petIds).toContain(petId);
      }
    });

    test("of two replacements at once, one comes after the other: the contents of one stay", async () => {
      const [small, large] = [sampleShop({ pets: 30, now: NOW }), sampleShop({ pets: 50, seed: 2, now: NOW })];
      for (let round = 0; round < 5; round++) {
        await Promise.all([opened.store.shop.replace(small, RESET), opened.other.shop.replace(large, RESET)]);
        const { pets, orders } = await contents();
        expect([small, large].map((shop) => shop.pets.length)).toContain(pets.length);
        expect([small, large].map((shop) => shop.orders.length)).toContain(orders.length);
        await expectExactCounts();
      }
    });

    test("readers see the contents before or after, never parts of both", async () => {
      const { store, other } = opened;
      await store.shop.replace(sampleShop({ pets: 300, now: NOW }), RESET);
      let isReplacing = true;
      const sizes = new Set<number>();
      const read = async () => {
        while (isReplacing) {
          await opened.refresh();
          const { available, pending, sold } = await other.pets.inventory();
          const page = await other.pets.list({ after: 0n, limit: 1_000 });
          sizes.add(page.length).add(available + pending + sold);
        }
      };
      const reading = read();
      for (const pets of [400, 300, 400, 300, 400]) await store.shop.replace(sampleShop({ pets, now: NOW }), RESET);
      isReplacing = false;
      await reading;
      expect([...sizes].filter((size) => ![300, 400].includes(size))).toEqual([]);
      expect((await contents()).pets).toHaveLength(400);
    });

    test("a refusal undoes nothing of what is written beside it, so that the inventory stays exact", async () => {
      await opened.store.shop.replace(EMPTY, RESET);
      const { pets, orders } = opened.store;
      const work = Array.from({ length: 20 }, (_, i) => [
        pets.create({ name: `Rex ${i}`, categoryId: 1n }, { now: NOW }),
        orders.place(999_999_999n, NOW, { key: { keyId: "key_1", key: `nothing ${i}`, now: NOW } }),
      ]);
      const results = await Promise.allSettled(work.flat());
      expect(results.filter(({ status }) => status === "rejected")).toHaveLength(20);
      expect((await contents()).pets).toHaveLength(20);
      await expectExactCounts();
    });

    test("more pets than one statement adds are all there, available unless they say otherwise, and found by their names", async () => {
      const pets = Array.from({ length: 2_001 }, (_, i) => ({ name: `Rex ${i}`, categoryId: 1n }));
      const ids = await opened.store.shop.replace({ ...EMPTY, pets }, RESET);
      expect(ids).toHaveLength(pets.length);
      await opened.refresh();
      expect(await opened.other.pets.inventory()).toEqual({ available: 2_001, pending: 0, sold: 0 });
      const [last] = await opened.other.pets.list({ after: 0n, limit: 1, name: "REX 2000" });
      expect(last).toMatchObject({ id: ids.at(-1) ?? 0, name: "Rex 2000", status: "available" });
    });
  });
}

function countsOf(items: { status: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { status } of items) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

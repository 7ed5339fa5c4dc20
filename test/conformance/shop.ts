import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { tagOfVersion } from "../../src/domain/changes.ts";
import { INT64_MAX, INT64_MIN } from "../../src/domain/int64.ts";
import { OrderStatus, type OrdersPage, type PlacementOptions, type StoredOrder } from "../../src/domain/orders.ts";
import { PetStatus, type StoredPet } from "../../src/domain/pets.ts";
import type { Stores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import type { Opened } from "./opened.ts";

/** The stores of everything that is sold. */
export type Shop = Pick<Stores, "pets" | "categories" | "orders" | "idempotencyKeys"> & {
  /** The same orders, with LIFETIME. */
  expiring: Stores["orders"];
};

/** How long the orders of `expiring` may be placed, in ms. */
export const LIFETIME = 1_800_000;

const NOW = 1_800_000_000_000;
const DAY = 86_400_000;
const REX = { name: "Rex", categoryId: 1_000_000_007n };

const codeOf = ({ code }: { code: string }) => code;

/**
 * Which of the pets or orders so far; with which tags, counted from the current version; with which idempotency key. Half
 * of the steps have none, so that many are not refused.
 */
const index = fc.nat(2);
const offsets = fc.option(fc.array(fc.integer({ min: -1, max: 1 }), { maxLength: 2 }), { nil: undefined, freq: 2 });
const key = fc.option(fc.nat(2), { nil: undefined, freq: 2 });
const reference = fc.constantFrom(undefined, "A", "é 2026-0815");
const isElsewhere = fc.boolean();
const petStatus = fc.constantFrom(...PetStatus.options);
const step = fc.oneof(
  fc.record({ kind: fc.constant("create" as const), status: petStatus, key, isElsewhere }),
  fc.record({ kind: fc.constant("update" as const), index, status: petStatus, offsets, isElsewhere }),
  fc.record({ kind: fc.constant("delete" as const), index, offsets, isElsewhere }),
  fc.record({ kind: fc.constant("place" as const), index, reference, key, isElsewhere }),
  fc.record({ kind: fc.constant("place" as const), index, reference, key, isElsewhere }),
  fc.record({
    kind: fc.constant("advance" as const),
    index,
    status: fc.constantFrom(...OrderStatus.options),
    offsets,
    isElsewhere,
  }),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const PET_TRANSITIONS = ["available pending", "available sold", "pending available", "pending sold", "sold available"];
const ORDER_TRANSITIONS = ["placed approved", "approved delivered", "placed cancelled", "approved cancelled"];
/** The changes that lead to each status of an order, and the status of its pet. */
const ORDERS = {
  placed: { changes: [], pet: "pending" },
  approved: { changes: ["approved"], pet: "pending" },
  delivered: { changes: ["approved", "delivered"], pet: "sold" },
  cancelled: { changes: ["cancelled"], pet: "available" },
} as const satisfies Record<OrderStatus, { changes: readonly OrderStatus[]; pet: PetStatus }>;

/** What a store should hold, as the simplest program that follows docs/interface.md. */
class Model {
  readonly pets = new Map<number, StoredPet>();
  readonly orders = new Map<number, StoredOrder>();
  readonly petIds: number[] = [];
  readonly orderIds: number[] = [];
  /** By idempotency key: the request, and the result. */
  readonly keys = new Map<number, { request: string; result: StoredPet | StoredOrder }>();

  holderOf(petId: number): StoredOrder | undefined {
    return [...this.orders.values()].find(
      (order) => order.petId === petId && (order.status === "placed" || order.status === "approved"),
    );
  }

  /** Changes the status of a pet in place of an order. */
  setStatus(petId: number, status: PetStatus): void {
    const pet = this.pets.get(petId);
    if (pet === undefined) throw new Error("an order held a pet that does not exist");
    this.pets.set(petId, { ...pet, status, version: pet.version + 1 });
  }
}

function matches(version: number, tags: number[] | undefined): boolean {
  return tags === undefined || tags.includes(version);
}

/** How the stores of pets, categories and orders work together. */
export function shopConformance(engine: string, open: () => Promise<Opened<Shop>>): void {
  describe(`${engine} as the stores of a shop`, () => {
    let opened: Opened<Shop>;
    let shop: Shop;
    beforeAll(async () => {
      opened = await open();
      shop = opened.store;
    });
    afterAll(() => opened.close());

    /** Everything in the store, in pages. */
    async function everything<T extends { id: number }>(
      list: (page: { limit: number; after: bigint }) => T[] | Promise<T[]>,
    ): Promise<T[]> {
      await opened.refresh();
      const all: T[] = [];
      for (;;) {
        const page = await list({ limit: 100, after: BigInt(all.at(-1)?.id ?? 0) });
        all.push(...page);
        if (page.length < 100) return all;
      }
    }
    const allPets = () => everything((page) => shop.pets.list(page));
    const allOrders = () => everything((page) => shop.orders.list(page));

    /** Runs a step on the store and on the model, and compares what they return. */
    async function run(one: Step, model: Model, keyId: string, now: number): Promise<void> {
      const its = one.isElsewhere ? opened.other : shop;
      if (one.kind === "create" || one.kind === "place") {
        const petId = one.kind === "place" ? (model.petIds[one.index] ?? 9_999_999) : 0;
        const request = one.kind === "create" ? `create ${one.status}` : `place ${petId} ${one.reference}`;
        const known = one.key === undefined ? undefined : model.keys.get(one.key);
        const options = one.key === undefined ? {} : { key: { keyId, key: `${one.key}`, now } };
        const { key } = options;
        const outcome =
          one.kind === "place"
            ? await its.orders.place(BigInt(petId), now, { ...options, reference: one.reference }).catch(codeOf)
            : key === undefined
              ? { created: await its.pets.create({ ...REX, status: one.status }, { now: Date.now() }), isReplay: false }
              : await its.pets.createIdempotently({ ...REX, status: one.status }, key).catch(codeOf);
        if (known !== undefined) {
          const isSame = known.request === request;
          expect<unknown>(outcome).toEqual(
            isSame ? { created: known.result, isReplay: true } : "idempotency_key_reused",
          );
          return;
        }
        if (one.kind === "place") {
          const pet = model.pets.get(petId);
          if (pet?.status !== "available") {
            expect(outcome).toBe(pet === undefined ? "pet_not_found" : "pet_not_available");
            return;
          }
        }
        if (typeof outcome === "string") throw new Error(outcome);
        const { created } = outcome;
        if (one.kind === "create") {
          expect(outcome).toEqual({
            created: { ...REX, id: created.id, status: one.status, version: 1 },
            isReplay: false,
          });
          model.pets.set(created.id, created as StoredPet);
          model.petIds.push(created.id);
        } else {
          const times = { createdAt: now, updatedAt: now };
          expect(outcome).toEqual({
            created: {
              ...{ id: created.id, petId, pet: REX, status: "placed", reference: one.reference },
              ...{ ...times, version: 1 },
            },
            isReplay: false,
          });
          model.orders.set(created.id, created as StoredOrder);
          model.orderIds.push(created.id);
          model.setStatus(petId, "pending");
        }
        if (one.key !== undefined) model.keys.set(one.key, { request, result: created });
        return;
      }
      if (one.kind === "advance") {
        const id = model.orderIds[one.index] ?? 9_999_999;
        const order = model.orders.get(id);
        const versions = one.offsets?.map((offset) => (order?.version ?? 1) + offset);
        const tags = versions?.map(tagOfVersion);
        const outcome = await its.orders
          .update(BigInt(id), one.status, now, { preconditions: { ifMatch: tags } })
          .catch(codeOf);
        if (order === undefined) expect(outcome).toBe("order_not_found");
        else if (!matches(order.version, versions)) expect(outcome).toBe("precondition_failed");
        else if (!ORDER_TRANSITIONS.includes(`${order.status} ${one.status}`)) {
          expect(outcome).toBe("invalid_transition");
        } else {
          const next = { ...order, status: one.status, updatedAt: now, version: order.version + 1 };
          expect(outcome).toEqual(next);
          model.orders.set(id, next);
          if (one.status === "delivered") model.setStatus(order.petId, "sold");
          if (one.status === "cancelled") model.setStatus(order.petId, "available");
        }
        return;
      }
      const id = model.petIds[one.index] ?? 9_999_999;
      const pet = model.pets.get(id);
      const versions = one.offsets?.map((offset) => (pet?.version ?? 1) + offset);
      const options = { now: Date.now(), preconditions: { ifMatch: versions?.map(tagOfVersion) } };
      const outcome =
        one.kind === "delete"
          ? await its.pets.delete(BigInt(id), options).catch(codeOf)
          : await its.pets.update(BigInt(id), { status: one.status }, options).catch(codeOf);
      if (pet === undefined) expect(outcome).toBe("pet_not_found");
      else if (!matches(pet.version, versions)) expect(outcome).toBe("precondition_failed");
      else if (one.kind === "update" && one.status === pet.status) expect(outcome).toEqual(pet);
      else if (model.holderOf(id) !== undefined) expect(outcome).toBe("pet_reserved");
      else if (one.kind === "delete") {
        expect(outcome).toBeUndefined();
        model.pets.delete(id);
      } else if (!PET_TRANSITIONS.includes(`${pet.status} ${one.status}`)) expect(outcome).toBe("invalid_transition");
      else {
        model.setStatus(id, one.status);
        expect(outcome).toEqual(model.pets.get(id));
      }
    }

    test("agrees with a model after every creation, change, removal and order", async () => {
      let runs = 0;
      await eventuallyHolds(
        fc.asyncProperty(fc.array(step, { maxLength: 25, size: "max" }), async (steps) => {
          runs += 1;
          const before = await opened.store.pets.inventory();
          const earlier = (await allPets()).map(({ id }) => id);
          const earlierOrders = (await allOrders()).map(({ id }) => id);
          const countsBefore = await shop.orders.counts();
          const model = new Model();
          for (const [i, one] of steps.entries()) {
            await run(one, model, `key_${runs}`, NOW + i);
            const pets = (await allPets()).filter(({ id }) => !earlier.includes(id));
            expect(pets).toEqual([...model.pets.values()]);
            const orders = (await allOrders()).filter(({ id }) => !earlierOrders.includes(id));
            expect(orders).toEqual([...model.orders.values()]);
            const inventory = await shop.pets.inventory();
            for (const status of PetStatus.options) {
              const wanted = pets.filter((pet) => pet.status === status).length;
              expect(inventory[status] - before[status]).toBe(wanted);
            }
            const counts = await shop.orders.counts();
            for (const status of OrderStatus.options) {
              const wanted = orders.filter((order) => order.status === status).length;
              expect(counts[status] - countsBefore[status]).toBe(wanted);
            }
            for (const { id } of orders) expect(await shop.orders.get(BigInt(id))).toEqual(model.orders.get(id));
          }
        }),
        20,
      );
    });

    test("of any number of buyers at once, in any number of processes, exactly one gets the pet", async () => {
      for (let round = 0; round < 10; round++) {
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        const buyers = Array.from({ length: 16 }, (_, i) =>
          (i % 2 === 0 ? shop : opened.other).orders.place(BigInt(id), NOW).then(() => "placed", codeOf),
        );
        const outcomes = await Promise.all(buyers);
        expect(outcomes.toSorted()).toEqual(["pet_not_available", ...Array(14).fill("pet_not_available"), "placed"]);
        const held = await shop.orders.list({ limit: 10, petId: BigInt(id) });
        expect(held.map(({ status }) => status)).toEqual(["placed"]);
      }
    });

    test("counts the orders and changes of many pets at once, in any processes, also with refusals among them", async () => {
      const pets = await Promise.all(Array.from({ length: 12 }, () => shop.pets.create(REX, { now: Date.now() })));
      const [inventory, counts] = [await shop.pets.inventory(), await shop.orders.counts()];
      const [unknown, tags] = [9_999_999n, ["v9"]];
      const place = (its: Shop, id: bigint, now: number) =>
        its.orders.place(id, now).then(({ created }) => created, codeOf);
      const outcomes = await Promise.all([
        ...[...pets, ...pets].map(({ id }, i) => place(i % 3 === 0 ? opened.other : shop, BigInt(id), NOW + i)),
        place(shop, unknown, NOW),
      ]);
      const placed = outcomes.filter((outcome) => typeof outcome !== "string");
      expect(placed.map(({ petId }) => petId).toSorted()).toEqual(pets.map(({ id }) => id).toSorted());
      for (const order of placed) expect(await shop.orders.get(BigInt(order.id))).toEqual(order);
      expect(outcomes.filter((outcome) => outcome === "pet_not_available")).toHaveLength(pets.length);
      expect(outcomes.at(-1)).toBe("pet_not_found");

      const [first, ...others] = pets.map(({ id }) => BigInt(id));
      if (first === undefined) throw new Error("there is no pet");
      await shop.orders.update(BigInt(placed.find(({ petId }) => petId === Number(first))?.id ?? 0), "cancelled", NOW);
      const changes = await Promise.all([
        ...others.map((id) => shop.pets.update(id, { status: "sold" }, { now: Date.now() }).catch(codeOf)),
        ...others.map((id) =>
          shop.pets.update(id, { name: "Mia" }, { now: Date.now() }).then(({ version }) => version),
        ),
        shop.pets
          .update(first, { status: "sold" }, { now: Date.now(), preconditions: { ifMatch: tags } })
          .catch(codeOf),
        shop.pets.update(first, { status: "sold" }, { now: Date.now() }).then(({ version }) => version),
        shop.pets.update(first, { status: "available" }, { now: Date.now() }).then(({ version }) => version),
        shop.pets.update(first, { status: "sold" }, { now: Date.now() }).then(({ version }) => version),
        shop.pets.update(unknown, { status: "sold" }, { now: Date.now() }).catch(codeOf),
      ]);
      expect(changes).toEqual([
        ...others.map(() => "pet_reserved"),
        ...others.map(() => 3),
        "precondition_failed",
        4,
        5,
        6,
        "pet_not_found",
      ]);
      const gained = { available: -pets.length, pending: others.length, sold: 1 };
      for (const status of PetStatus.options) {
        expect((await shop.pets.inventory())[status] - inventory[status]).toBe(gained[status]);
      }
      expect(await shop.orders.counts()).toEqual({
        ...counts,
        placed: counts.placed + others.length,
        cancelled: counts.cancelled + 1,
      });
    });

    test("of an order for a pet and the pet's removal at once, in any processes, one is made", async () => {
      for (let round = 0; round < 20; round++) {
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        const outcomes = await Promise.all([
          shop.orders.place(BigInt(id), NOW).then(() => "placed", codeOf),
          opened.other.pets.delete(BigInt(id), { now: Date.now() }).then(() => "removed", codeOf),
        ]);
        expect(["placed pet_reserved", "pet_not_found removed"]).toContain(outcomes.join(" "));
      }
    });

    test("of an order's cancellation and the pet's removal at once, both or the first alone", async () => {
      for (let round = 0; round < 10; round++) {
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        const { created: order } = await shop.orders.place(BigInt(id), NOW);
        const outcomes = await Promise.all([
          shop.orders.update(BigInt(order.id), "cancelled", NOW).then(({ status }) => status, codeOf),
          opened.other.pets.delete(BigInt(id), { now: Date.now() }).then(() => "removed", codeOf),
        ]);
        expect(outcomes[0]).toBe("cancelled");
        expect(["removed", "pet_reserved"]).toContain(outcomes[1]);
        await opened.refresh();
        const pet = await shop.pets.get(BigInt(id));
        expect(pet?.status).toBe(outcomes[1] === "removed" ? undefined : "available");
      }
    });

    /** Places an order for a new pet, and leads it to a status. */
    async function orderedAs(wanted: OrderStatus): Promise<StoredOrder> {
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      let { created: order } = await shop.orders.place(BigInt(id), NOW);
      for (const status of ORDERS[wanted].changes) order = await shop.orders.update(BigInt(order.id), status, NOW);
      return order;
    }

    test("counts all orders of each status", async () => {
      const counts = await shop.orders.counts();
      for (const status of OrderStatus.options) {
        for (let i = 0; i < 5; i++) await orderedAs(status);
        counts[status] += 5;
        expect(await shop.orders.counts()).toEqual(counts);
      }
    });

    describe.each(OrderStatus.options)("an order that is %s", (from) => {
      const ordered = () => orderedAs(from);
      const statusOf = async ({ petId }: StoredOrder) => {
        await opened.refresh();
        return (await shop.pets.get(BigInt(petId)))?.status;
      };

      test.each(OrderStatus.options)("becomes %s with its pet, or stays as it is", async (to) => {
        const order = await ordered();
        const inventory = await shop.pets.inventory();
        const counts = await shop.orders.counts();
        const isAllowed = ORDER_TRANSITIONS.includes(`${from} ${to}`);
        const after = { ...order, status: to, updatedAt: NOW + 1, version: order.version + 1 };
        const outcome = await shop.orders.update(BigInt(order.id), to, NOW + 1).catch(codeOf);
        expect(outcome).toEqual(isAllowed ? after : "invalid_transition");
        const petStatus = ORDERS[isAllowed ? to : from].pet;
        expect(await statusOf(order)).toBe(petStatus);
        inventory[ORDERS[from].pet] -= 1;
        inventory[petStatus] += 1;
        expect(await shop.pets.inventory()).toEqual(inventory);
        counts[from] -= 1;
        counts[isAllowed ? to : from] += 1;
        expect(await shop.orders.counts()).toEqual(counts);
      });

      test("holds its pet until it is delivered or cancelled", async () => {
        const order = await ordered();
        const petId = BigInt(order.petId);
        const isHeld = from === "placed" || from === "approved";
        const next = ORDERS[from].pet === "available" ? "sold" : "available";
        const changed = await shop.pets
          .update(petId, { status: next }, { now: Date.now() })
          .then(({ status }) => status, codeOf);
        expect(changed).toBe(isHeld ? "pet_reserved" : next);
        expect(await shop.pets.update(petId, { name: "Max" }, { now: Date.now() })).toMatchObject({ name: "Max" });
        const removed = await shop.pets.delete(petId, { now: Date.now() }).then(() => "removed", codeOf);
        expect(removed).toBe(isHeld ? "pet_reserved" : "removed");
      });

      test("keeps its pet sold, where a change is to, only if it was delivered", async () => {
        const petId = BigInt((await ordered()).petId);
        if (from === "cancelled") await shop.pets.update(petId, { status: "sold" }, { now: Date.now() });
        const outcomes = {
          placed: "pet_reserved",
          approved: "pet_reserved",
          delivered: "sold",
          cancelled: "available",
        };
        const change = (status: PetStatus) =>
          shop.pets
            .update(petId, { status }, { now: Date.now(), keepsSold: true })
            .then(({ status }) => status, codeOf);
        expect(await change("available")).toBe(outcomes[from]);
        if (from !== "delivered") return;
        expect(await change("pending")).toBe("sold");
        await shop.pets.update(petId, { status: "available" }, { now: Date.now() });
        expect(await change("pending")).toBe("pending");
      });
    });

    test("of changes of one order at once, in any processes, exactly one is made", async () => {
      for (let round = 0; round < 10; round++) {
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        const { created: order } = await shop.orders.place(BigInt(id), NOW);
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            (i % 2 === 0 ? shop : opened.other).orders
              .update(BigInt(order.id), i < 4 ? "approved" : "cancelled", NOW, {
                preconditions: { ifMatch: [tagOfVersion(1)] },
              })
              .then(({ version }) => version, codeOf),
          ),
        );
        expect(outcomes.filter((outcome) => outcome === 2)).toHaveLength(1);
        expect(outcomes.filter((outcome) => outcome === "precondition_failed")).toHaveLength(7);
        expect((await shop.orders.get(BigInt(order.id)))?.version).toBe(2);
      }
    });

    test("an order names its reasons", async () => {
      const { id } = await shop.pets.create({ ...REX, status: "sold" }, { now: Date.now() });
      const refusal = await shop.orders.place(BigInt(id), NOW).catch((error) => error);
      expect(refusal.message).toBe("This pet is sold. Only an available pet can be ordered.");
      await shop.pets.update(BigInt(id), { status: "available" }, { now: Date.now() });
      const { created: order } = await shop.orders.place(BigInt(id), NOW);
      const reserved = await shop.pets.delete(BigInt(id), { now: Date.now() }).catch((error) => error);
      expect(reserved.message).toContain(`Order ${order.id} holds this pet.`);
      const final = await shop.orders
        .update(BigInt(order.id), "cancelled", NOW)
        .then(() => shop.orders.update(BigInt(order.id), "approved", NOW))
        .catch((error) => error);
      expect(final.message).toBe("An order that is cancelled cannot become approved: this status is final.");
    });

    test("an order's time of change does not go back", async () => {
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      const { created: order } = await shop.orders.place(BigInt(id), NOW);
      expect(await shop.orders.update(BigInt(order.id), "approved", NOW - DAY)).toMatchObject({ updatedAt: NOW });
    });

    test("a page of orders has those that satisfy all filters, by id", async () => {
      const placed: StoredOrder[] = [];
      const rex = await shop.pets.create(REX, { now: Date.now() });
      for (let i = 0; i < 6; i++) {
        const pet = i % 2 === 0 ? rex : await shop.pets.create(REX, { now: Date.now() });
        const { created } = await shop.orders.place(BigInt(pet.id), NOW);
        placed.push(created);
        if (pet === rex) await shop.orders.update(BigInt(created.id), "cancelled", NOW);
      }
      await opened.refresh();
      const orders = (await allOrders()).filter(({ id }) => placed.some((one) => one.id === id));
      const page = { limit: 100, after: BigInt((placed[0]?.id ?? 0) - 1) };
      const wanted = (keep: (order: StoredOrder) => boolean) => orders.filter(keep);
      expect(await shop.orders.list({ ...page, status: "cancelled" })).toEqual(
        wanted(({ status }) => status === "cancelled"),
      );
      expect(await shop.orders.list({ ...page, petId: BigInt(rex.id) })).toEqual(
        wanted(({ petId }) => petId === rex.id),
      );
      expect(await shop.orders.list({ ...page, petId: BigInt(rex.id), status: "placed" })).toEqual([]);
      const ids = [BigInt(orders[4]?.id ?? 0), BigInt(orders[1]?.id ?? 0), INT64_MAX];
      expect(await shop.orders.list({ ...page, ids })).toEqual([orders[1], orders[4]] as StoredOrder[]);
      expect(await shop.orders.list({ ...page, limit: 2, after: BigInt(orders[1]?.id ?? 0) })).toEqual(
        orders.slice(2, 4),
      );
    });

    test("a page of a pet's orders of all statuses, in both directions", async () => {
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      const place = async (...changes: OrderStatus[]) => {
        let { created: order } = await shop.orders.place(BigInt(id), NOW);
        for (const status of changes) order = await shop.orders.update(BigInt(order.id), status, NOW);
        return order;
      };
      const all = [await place("cancelled"), await place("approved", "delivered")];
      await shop.pets.update(BigInt(id), { status: "available" }, { now: Date.now() });
      all.push(await place("cancelled"), await place("approved"));
      const [first, second, third, fourth] = all as [StoredOrder, StoredOrder, StoredOrder, StoredOrder];
      await opened.refresh();
      const its = { limit: 100, petId: BigInt(id) };
      const newest = { ...its, order: "desc" } as const;
      expect(await shop.orders.list(its)).toEqual(all);
      expect(await shop.orders.list(newest)).toEqual(all.toReversed());
      expect(await shop.orders.list({ ...its, limit: 2, after: BigInt(first.id) })).toEqual([second, third]);
      expect(await shop.orders.list({ ...newest, limit: 2, after: BigInt(fourth.id) })).toEqual([third, second]);
      expect(await shop.orders.list({ ...newest, status: "cancelled" })).toEqual([third, first]);
      expect(await shop.orders.list({ ...newest, ids: [second, fourth].map((one) => BigInt(one.id)) })).toEqual([
        fourth,
        second,
      ]);
      const [{ id: last } = first] = await shop.orders.list({ limit: 1, order: "desc" });
      expect(last).toBe(fourth.id);
    });

    test("an order keeps the name and the category that its pet had, in every process", async () => {
      const sold = { name: "Ré\u{10ffff} \"'\\", categoryId: INT64_MIN };
      const place = async (options: PlacementOptions) => {
        const { id } = await shop.pets.create(sold, { now: Date.now() });
        return (await shop.orders.place(BigInt(id), NOW, options)).created;
      };
      const placed = [
        await place({}),
        await place({ key: { keyId: "key_1", key: "kept", now: NOW } }),
        await place({ by: TESTER }),
      ];
      for (const order of placed) {
        expect(order.pet).toEqual(sold);
        await shop.pets.update(BigInt(order.petId), { name: "Max", categoryId: 2n }, { now: Date.now() });
        const cancelled = await opened.other.orders.update(BigInt(order.id), "cancelled", NOW);
        await opened.other.pets.delete(BigInt(order.petId), { now: Date.now() });
        await opened.refresh();
        expect(await shop.orders.get(BigInt(order.id))).toEqual(cancelled);
        expect(cancelled.pet).toEqual(sold);
        expect(await shop.orders.list({ limit: 1, ids: [BigInt(order.id)] })).toEqual([cancelled]);
      }
    });

    test("a repeated order gets what was said first, also after changes of the pet and the order", async () => {
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      const options = { key: { keyId: "key_1", key: "first said", now: NOW }, reference: "R 1" };
      const first = await shop.orders.place(BigInt(id), NOW, options);
      expect(first.created).toMatchObject({ pet: REX, reference: "R 1" });
      await shop.orders.update(BigInt(first.created.id), "cancelled", NOW + 1);
      await shop.pets.delete(BigInt(id), { now: Date.now() });
      const again = await opened.other.orders.place(BigInt(id), NOW + 2, options);
      expect(again).toEqual({ ...first, isReplay: true });
      for (const reference of [undefined, "R 2", ""]) {
        const other = await shop.orders.place(BigInt(id), NOW, { ...options, reference }).catch(codeOf);
        expect(other).toBe("idempotency_key_reused");
      }
    });

    test("orders are found by their reference, exactly, with all other filters, in both directions", async () => {
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      const place = async (reference: string | undefined, ...changes: OrderStatus[]) => {
        let { created: order } = await shop.orders.place(BigInt(id), NOW, { reference });
        for (const status of changes) order = await shop.orders.update(BigInt(order.id), status, NOW);
        return order;
      };
      const longest = "\u{1f436}".repeat(100);
      const first = await place("Straße", "cancelled");
      const others = [await place("straße", "cancelled"), await place("Strasse", "cancelled")];
      others.push(await place(undefined, "cancelled"), await place(longest, "cancelled"));
      const second = await place("Straße", "approved");
      const elsewhere = await shop.pets.create(REX, { now: Date.now() });
      const { created: third } = await shop.orders.place(BigInt(elsewhere.id), NOW, { reference: "Straße" });
      await opened.refresh();
      const page = { limit: 100, reference: "Straße" };
      const { list } = opened.other.orders;
      const listed = (more: Partial<OrdersPage>) => list.call(opened.other.orders, { ...page, ...more });
      expect(await listed({})).toEqual([first, second, third]);
      expect(await listed({ order: "desc" })).toEqual([third, second, first]);
      expect(await listed({ limit: 1, after: BigInt(first.id) })).toEqual([second]);
      expect(await listed({ order: "desc", after: BigInt(third.id) })).toEqual([second, first]);
      expect(await listed({ petId: BigInt(id) })).toEqual([first, second]);
      expect(await listed({ petId: BigInt(id), status: "approved" })).toEqual([second]);
      expect(await listed({ status: "placed" })).toEqual([third]);
      expect(await listed({ ids: [BigInt(third.id), BigInt(others[0]?.id ?? 0)] })).toEqual([third]);
      expect(await listed({ reference: longest })).toMatchObject([{ reference: longest }]);
      expect(await listed({ reference: "none" })).toEqual([]);
    });

    describe("orders that expire", () => {
      const place = async (options: PlacementOptions = {}) => {
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        return (await shop.expiring.place(BigInt(id), NOW, options)).created;
      };
      const states = async ({ id, petId }: StoredOrder) => {
        await opened.refresh();
        const [order, pet] = [await shop.orders.get(BigInt(id)), await shop.pets.get(BigInt(petId))];
        return [order?.status, order?.version, order?.updatedAt, pet?.status, pet?.version];
      };
      const expireAll = async (now: number) => {
        let sum = 0;
        for (let count = -1; count !== 0; sum += count) count = await opened.other.orders.expire(now);
        return sum;
      };

      test("are cancelled once their time is over, with their pets and counts, by any process, once", async () => {
        await expireAll(NOW + LIFETIME);
        const placed = [
          await place(),
          await place({ by: TESTER }),
          await place({ key: { keyId: "k", key: "expiring", now: NOW } }),
        ];
        for (const order of placed) expect(order.expiresAt).toBe(NOW + LIFETIME);
        const counts = await shop.orders.counts();
        const inventory = await shop.pets.inventory();
        expect(await expireAll(NOW + LIFETIME - 1)).toBe(0);
        const [one, two] = await Promise.all([expireAll(NOW + LIFETIME), expireAll(NOW + LIFETIME)]);
        expect(one + two).toBe(3);
        for (const order of placed) {
          expect(await states(order)).toEqual(["cancelled", 2, NOW + LIFETIME, "available", 3]);
        }
        counts.placed -= 3;
        counts.cancelled += 3;
        expect(await shop.orders.counts()).toEqual(counts);
        expect(await shop.pets.inventory()).toEqual({
          ...inventory,
          pending: inventory.pending - 3,
          available: inventory.available + 3,
        });
      });

      test("are more than one transaction cancels", async () => {
        for (let i = 0; i < 120; i++) await place();
        expect(await expireAll(NOW + LIFETIME)).toBe(120);
      });

      test("do not expire once they are approved, or if the time was not bounded when they were placed", async () => {
        const approved = await place();
        await shop.orders.update(BigInt(approved.id), "approved", NOW + 1);
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        const { created: unbounded } = await shop.orders.place(BigInt(id), NOW);
        expect(unbounded.expiresAt).toBeUndefined();
        expect(await expireAll(NOW + 10 * LIFETIME)).toBe(0);
        expect((await states(approved))[0]).toBe("approved");
        expect((await states(unbounded))[0]).toBe("placed");
      });

      test("can be cancelled again without a change, unlike others", async () => {
        const expired = await place();
        await expireAll(NOW + LIFETIME);
        const before = await shop.orders.get(BigInt(expired.id));
        expect(await shop.orders.update(BigInt(expired.id), "cancelled", NOW + 2 * LIFETIME)).toEqual(
          before as StoredOrder,
        );
        const preconditions = { ifMatch: [tagOfVersion(1)] };
        const late = shop.orders.update(BigInt(expired.id), "cancelled", NOW, { preconditions });
        expect(await late.catch(codeOf)).toBe("precondition_failed");
        expect(await shop.orders.update(BigInt(expired.id), "approved", NOW).catch(codeOf)).toBe("invalid_transition");
        const early = await place();
        await shop.orders.update(BigInt(early.id), "cancelled", NOW + LIFETIME - 1);
        const lately = await place();
        await shop.orders.update(BigInt(lately.id), "approved", NOW);
        await shop.orders.update(BigInt(lately.id), "cancelled", NOW + LIFETIME);
        for (const { id } of [early, lately]) {
          expect(await shop.orders.update(BigInt(id), "cancelled", NOW).catch(codeOf)).toBe("invalid_transition");
        }
      });

      test("say when they expire in the replay too, after they have changed", async () => {
        const key = { keyId: "k", key: "expiring replay", now: NOW };
        const { id } = await shop.pets.create(REX, { now: Date.now() });
        const first = await shop.expiring.place(BigInt(id), NOW, { key });
        await shop.orders.update(BigInt(first.created.id), "approved", NOW);
        expect(await opened.other.expiring.place(BigInt(id), NOW, { key })).toEqual({ ...first, isReplay: true });
      });

      test("are approved or expire, at the same moment", async () => {
        for (let round = 0; round < 10; round++) {
          const order = await place();
          const [approved] = await Promise.all([
            shop.orders.update(BigInt(order.id), "approved", NOW + LIFETIME).then(({ status }) => status, codeOf),
            expireAll(NOW + LIFETIME),
          ]);
          await expireAll(NOW + LIFETIME);
          const [status, version, , pet] = await states(order);
          if (approved === "approved") expect([status, version, pet]).toEqual(["approved", 2, "pending"]);
          else expect([approved, status, version, pet]).toEqual(["invalid_transition", "cancelled", 2, "available"]);
        }
      });
    });

    test("categories have unique names but for their case, and any id", async () => {
      const { categories } = shop;
      const { created: dogs } = await categories.create({ name: "Dogs" }, { now: Date.now() });
      expect(await categories.create({ name: "ＤＯＧＳ" }, { now: Date.now() }).catch(codeOf)).toBe("category_exists");
      expect(await categories.put({ id: INT64_MIN, name: "dogs" }, { now: Date.now() }).catch(codeOf)).toBe(
        "category_exists",
      );
      expect(await categories.put({ id: INT64_MIN, name: "Cats" }, { now: Date.now() })).toMatchObject({
        category: { id: INT64_MIN, name: "Cats" },
        isNew: true,
      });
      const { category: cats, isNew } = await categories.put({ id: INT64_MIN, name: "CATS" }, { now: Date.now() });
      expect([cats.name, isNew]).toEqual(["CATS", false]);
      const { category: fish } = await categories.put({ id: INT64_MAX, name: "Fish" }, { now: Date.now() });
      expect(await categories.put({ id: INT64_MAX, name: "Fish" }, { now: Date.now() })).toEqual({
        category: fish,
        isNew: false,
      });
      expect(await categories.get(INT64_MIN)).toEqual(cats);
      expect(await categories.list({ limit: 10 })).toEqual([cats, dogs, fish]);
      expect(await categories.list({ limit: 1, after: INT64_MIN })).toEqual([dogs]);
      expect(await categories.list({ limit: 10, name: "cats" })).toEqual([cats]);
      expect(await categories.list({ limit: 10, ids: [INT64_MAX, dogs.id] })).toEqual([dogs, fish]);
      for (const id of [INT64_MIN, INT64_MAX, dogs.id]) await categories.delete(id, { now: Date.now() });
      expect(await categories.list({ limit: 10 })).toEqual([]);
      expect(await categories.delete(dogs.id, { now: Date.now() }).catch(codeOf)).toBe("category_not_found");
    });

    test("an assigned id is named by no category and no pet, and was never assigned before", async () => {
      states(
        "docs/categories.md",
        "Those that the service assigns are positive, increasing and below 2⁵³. None is assigned twice, and none that a category or a pet has.",
      );
      const { created: first } = await shop.categories.create({ name: "First" }, { now: Date.now() });
      await shop.categories.put({ id: first.id + 1n, name: "Second" }, { now: Date.now() });
      const { created: third } = await opened.other.categories.create({ name: "Third" }, { now: Date.now() });
      expect(third.id).toBe(first.id + 2n);
      for (const id of [first.id, first.id + 1n, third.id]) await shop.categories.delete(id, { now: Date.now() });
      const { created: fourth } = await shop.categories.create({ name: "Fourth" }, { now: Date.now() });
      expect(fourth.id).toBe(third.id + 1n);
      await shop.pets.create({ ...REX, categoryId: fourth.id + 1n }, { now: Date.now() });
      const { created: fifth } = await shop.categories.create({ name: "Fifth" }, { now: Date.now() });
      expect(fifth.id).toBe(fourth.id + 2n);
      for (const id of [fourth.id, fifth.id]) await shop.categories.delete(id, { now: Date.now() });
    });

    test("finds an id also behind very many that pets name in a row", async () => {
      const { created: first } = await shop.categories.create({ name: "Before many" }, { now: Date.now() });
      const named = Array.from({ length: 1_050 }, (_, i) => first.id + 1n + BigInt(i));
      await Promise.all(named.map((categoryId) => shop.pets.create({ ...REX, categoryId }, { now: Date.now() })));
      const { created: next } = await shop.categories.create({ name: "After many" }, { now: Date.now() });
      expect(next.id).toBeGreaterThan(first.id);
      expect(named).not.toContain(next.id);
      for (const { id } of [first, next]) await shop.categories.delete(id, { now: Date.now() });
    });

    test("a category has no version that another one with its id had", async () => {
      const { created: first } = await shop.categories.create({ name: "A" }, { now: Date.now() });
      const versions = [first.version];
      for (const name of ["B", "A", "B"]) {
        versions.push((await shop.categories.put({ id: first.id, name }, { now: Date.now() })).category.version);
      }
      await shop.categories.delete(first.id, { now: Date.now() });
      versions.push(
        (await opened.other.categories.put({ id: first.id, name: "A" }, { now: Date.now() })).category.version,
      );
      expect(new Set(versions).size).toBe(5);
      expect((await shop.categories.get(first.id))?.version).toBe(versions.at(-1) as number);
      const stale = versions.slice(0, -1).map(tagOfVersion);
      expect(
        await shop.categories.delete(first.id, { now: Date.now(), preconditions: { ifMatch: stale } }).catch(codeOf),
      ).toBe("precondition_failed");
      await shop.categories.delete(first.id, { now: Date.now() });
    });

    test("creates a name once, however many processes want it at once", async () => {
      for (let round = 0; round < 5; round++) {
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            (i % 2 === 0 ? shop : opened.other).categories
              .create({ name: i % 3 === 0 ? `Birds ${round}` : `BIRDS ${round}` }, { now: Date.now() })
              .then(() => "created", codeOf),
          ),
        );
        expect(outcomes.toSorted()).toEqual([...Array(7).fill("category_exists"), "created"]);
      }
    });

    test("adds a category that must not exist once, however many processes want it at once", async () => {
      const preconditions = { ifNoneMatch: "any" as const };
      for (let round = 0; round < 5; round++) {
        const id = BigInt(-1_000 - round);
        const outcomes = await Promise.all(
          Array.from({ length: 8 }, (_, i) =>
            (i % 2 === 0 ? shop : opened.other).categories
              .put({ id, name: `Name ${i} of ${id}` }, { now: Date.now(), preconditions })
              .then(({ isNew }) => (isNew ? "created" : "renamed"), codeOf),
          ),
        );
        expect(outcomes.toSorted()).toEqual(["created", ...Array(7).fill("precondition_failed")]);
      }
    });

    test("a category is removed only while no pet has it, and only with its tag", async () => {
      const { created: category } = await shop.categories.create({ name: "Hamsters" }, { now: Date.now() });
      const { id } = await shop.pets.create({ ...REX, categoryId: category.id }, { now: Date.now() });
      expect(
        await shop.categories
          .delete(category.id, { now: Date.now(), preconditions: { ifMatch: ["other"] } })
          .catch(codeOf),
      ).toBe("precondition_failed");
      const tag = tagOfVersion(category.version);
      const renamed = { ...category, name: "HAMSTERS" };
      expect(await shop.categories.put(renamed, { now: Date.now(), preconditions: { ifMatch: [tag] } })).toMatchObject({
        category: { id: category.id, name: "HAMSTERS" },
        isNew: false,
      });
      expect(
        await shop.categories.put(category, { now: Date.now(), preconditions: { ifMatch: [tag] } }).catch(codeOf),
      ).toBe("precondition_failed");
      expect(await shop.categories.delete(category.id, { now: Date.now() }).catch(codeOf)).toBe("category_in_use");
      await shop.pets.update(BigInt(id), { categoryId: REX.categoryId }, { now: Date.now() });
      await shop.categories.delete(category.id, { now: Date.now() });
      expect(
        await shop.categories
          .put({ ...category, name: "Mice" }, { now: Date.now(), preconditions: { ifMatch: [] } })
          .catch(codeOf),
      ).toBe("precondition_failed");
    });

    test("a repeated creation of a category or an order creates nothing", async () => {
      const key = { keyId: "key_1", key: "everything", now: NOW };
      const category = await shop.categories.create({ name: "Once" }, { now: Date.now(), key });
      expect(await opened.other.categories.create({ name: "Once" }, { now: Date.now(), key })).toEqual({
        ...category,
        isReplay: true,
      });
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      expect(await shop.orders.place(BigInt(id), NOW, { key }).catch(codeOf)).toBe("idempotency_key_reused");
      expect(await shop.pets.createIdempotently(REX, key).catch(codeOf)).toBe("idempotency_key_reused");
      const forOrder = { ...key, key: "order" };
      const order = await shop.orders.place(BigInt(id), NOW, { key: forOrder });
      await shop.orders.update(BigInt(order.created.id), "approved", NOW + 1);
      const again = { key: { ...forOrder, now: NOW + DAY - 1 } };
      expect(await opened.other.orders.place(BigInt(id), NOW + 5, again)).toEqual({ ...order, isReplay: true });
      const after = { key: { ...forOrder, now: NOW + DAY } };
      expect(await shop.orders.place(BigInt(id), NOW + DAY, after).catch(codeOf)).toBe("pet_not_available");
      await shop.categories.delete(category.created.id, { now: Date.now() });
    });

    test("concurrent requests with one idempotency key, in any processes, place one order", async () => {
      const { id } = await shop.pets.create(REX, { now: Date.now() });
      const key = { keyId: "key_1", key: "at once", now: NOW };
      const outcomes = await Promise.all(
        Array.from({ length: 20 }, (_, i) =>
          (i % 2 === 0 ? shop : opened.other).orders
            .place(BigInt(id), NOW, { key })
            .then(({ isReplay }) => (isReplay ? "replayed" : "placed"), codeOf),
        ),
      );
      expect(outcomes.filter((outcome) => outcome === "placed")).toHaveLength(1);
      const others = new Set(outcomes.filter((outcome) => outcome !== "placed"));
      for (const outcome of others) expect(["replayed", "idempotency_in_progress"]).toContain(outcome);
    });

    test("deletes the idempotency keys from before a time, in batches, and no others", async () => {
      const of = (number: number) => ({ keyId: "key_old", key: `${number}`, now: number });
      await Promise.all(Array.from({ length: 600 }, (_, i) => shop.pets.createIdempotently(REX, of(i))));
      const portions: number[] = [];
      do portions.push(await shop.idempotencyKeys.forget(550));
      while (portions.at(-1) !== 0);
      expect(portions).toEqual([500, 50, 0]);
      expect(await shop.pets.createIdempotently(REX, of(549))).toMatchObject({ isReplay: false });
      expect(await shop.pets.createIdempotently(REX, of(550))).toMatchObject({ isReplay: true });
    });
  });
}

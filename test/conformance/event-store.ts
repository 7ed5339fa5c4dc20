import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { categoryJson } from "../../src/domain/categories.ts";
import { PetstoreError } from "../../src/domain/errors.ts";
import {
  type AscendingPage,
  detailsOf,
  type EventDetails,
  eventsText,
  parseSubject,
  type StoredEvent,
} from "../../src/domain/events.ts";
import { toJson } from "../../src/domain/json.ts";
import { orderJson } from "../../src/domain/orders.ts";
import { petJson } from "../../src/domain/pets.ts";
import { sampleShop } from "../../src/domain/shop.ts";
import type { Stores } from "../../src/wiring/stores.ts";
import { TESTER } from "../support/author.ts";
import { eventually } from "../support/eventually.ts";
import { states } from "../support/markdown.ts";
import { Mirror } from "../support/mirror.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

export type Fed = Pick<Stores, "events" | "pets" | "categories" | "orders" | "bulk" | "shop">;

const NOW = Date.UTC(2026, 11, 2);
const INT64 = 9223372036854775807n;
const AUTHORED = { by: TESTER, now: NOW };

/** What a refusal leaves unchanged; what is unavailable on a busy machine may be changed or not. */
const unlessRefused = async (change: Promise<unknown>): Promise<void> => {
  await change.catch((error) => {
    if (!(error instanceof PetstoreError) || (error.isFailure && error.code !== "service_unavailable")) throw error;
  });
};

type ReadEvent = StoredEvent & EventDetails;

const withDetails = (event: StoredEvent): ReadEvent => ({ ...event, ...detailsOf(event) });

/** What every EventStore does, and the stores that write its events, on each engine. */
export function eventStoreConformance(name: string, open: () => Promise<Opened<Fed>>): void {
  describe(`${name} for events`, () => {
    let opened: Opened<Fed>;
    beforeAll(async () => {
      opened = await open();
    });
    afterAll(() => opened.close());

    /** Reads a page, which is the same as text. */
    async function pageOf(page: AscendingPage): Promise<StoredEvent[]> {
      const found = await opened.other.events.list(page);
      expect(await opened.other.events.text(page)).toEqual(eventsText(found));
      return found;
    }

    async function all(after = 0n): Promise<ReadEvent[]> {
      await opened.refresh();
      const events: StoredEvent[] = [];
      for (let page = await pageOf({ after, limit: 7 }); page.length > 0; ) {
        events.push(...page);
        page = await pageOf({ after: BigInt(page.at(-1)?.id ?? 0), limit: 7 });
      }
      return events.map(withDetails);
    }

    const since = async (change: () => Promise<unknown>) => {
      const position = await opened.store.events.newest();
      await change();
      return all(position);
    };

    const short = ({ type, subject, version, data, requestId }: ReadEvent) => [type, subject, version, data, requestId];

    test("before the first event there is a position that is not 0", async () => {
      expect(await opened.store.events.newest()).toBe(1n);
      expect(await opened.store.events.oldest()).toBeUndefined();
      expect(await opened.store.events.list({ after: 0n, limit: 9 })).toEqual([]);
    });

    test("a pet has an event for each version, with its state and the request", async () => {
      states(
        "docs/events.md",
        "one for each version.",
        "`at` | string | When the change was made: RFC 3339, in UTC, with milliseconds.",
        "`requestId` | string | The `X-Request-Id` of the request that made the change, if one did.",
      );
      const { pets } = opened.store;
      const pet = await pets.create({ name: 'Re"x \u2028 🐕', categoryId: INT64 }, { now: NOW, requestId: "one" });
      const id = BigInt(pet.id);
      const events = await since(async () => {
        await pets.update(id, { name: "Mia" }, { now: NOW, requestId: "two" });
        await pets.update(id, { name: "Mia" }, { now: NOW, requestId: "no change" });
        await pets.update(id, { status: "sold", categoryId: -INT64 }, AUTHORED);
        await pets.delete(id, { now: NOW, requestId: "four" });
      });
      const subject = `pets/${id}`;
      expect(events.map(short)).toEqual([
        ["pet.updated", subject, 2, toJson(petJson({ ...pet, name: "Mia" })), "two"],
        ["pet.updated", subject, 3, `{"id":${id},"name":"Mia","categoryId":-${INT64},"status":"sold"}`, undefined],
        ["pet.deleted", subject, 4, `{"id":${id},"name":"Mia","categoryId":-${INT64},"status":"sold"}`, "four"],
      ]);
      expect(events.every(({ at }) => at === NOW)).toBe(true);
      const history = (await pageOf({ after: 0n, limit: 9, subject: parseSubject(subject) })).map(withDetails);
      expect(history.map(short)[0]).toEqual(["pet.created", subject, 1, toJson(petJson(pet)), "one"]);
      expect(history.slice(1)).toEqual(events);
      const members = `"at":"2026-12-02T00:00:00.000Z","subject":"${subject}","version":1,"data":${toJson(petJson(pet))}`;
      expect(history[0]?.text).toBe(`{"id":${history[0]?.id},"type":"pet.created",${members},"requestId":"one"}`);
    });

    test("a listener is called for each change of this process and of others, and after it has left by nobody", async () => {
      states(
        "docs/development/stores.md",
        "one look at the newest id serves all, after a commit of the process",
        "The calls end with the last listener: without endpoints and waiting requests the feed is not read.",
      );
      const { events, pets } = opened.store;
      const calls: [bigint, bigint | undefined][] = [];
      const leave = events.follow((newest, before) => void calls.push([newest, before]));
      for (const store of [opened.store, opened.other]) {
        const { id } = await store.pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
        const [last] = await events.list({ after: 0n, limit: 1, subject: parseSubject(`pets/${id}`) });
        await eventually(() => calls.some(([newest]) => newest >= (last?.id ?? expect.unreachable())));
      }
      expect(calls.map(([, before]) => before)).toEqual([undefined, ...calls.map(([newest]) => newest).slice(0, -1)]);
      leave();
      const { length } = calls;
      const { promise: isCalled, resolve } = Promise.withResolvers<void>();
      await pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
      const leaveAgain = events.follow(() => resolve());
      await isCalled;
      leaveAgain();
      expect(calls).toHaveLength(length);
    });

    test("an order and its pet have one each, in one transaction", async () => {
      states("docs/events.md", "`order.placed`, `order.approved`,", "`order.cancelled`;");
      const { pets, orders } = opened.store;
      const pet = await pets.create({ name: "Rex", categoryId: 1n }, { now: Date.now() });
      const events = await since(async () => {
        const { created } = await orders.place(BigInt(pet.id), NOW, { requestId: "place" });
        await orders.update(BigInt(created.id), "approved", NOW, { requestId: "approve" });
        await orders.update(BigInt(created.id), "cancelled", NOW, { requestId: "cancel" });
      });
      expect(events.map(({ type, version, requestId }) => [type, version, requestId]).toSorted()).toEqual([
        ["order.approved", 2, "approve"],
        ["order.cancelled", 3, "cancel"],
        ["order.placed", 1, "place"],
        ["pet.updated", 2, "place"],
        ["pet.updated", 3, "cancel"],
      ]);
    });

    test("a new category never gets the id of a removed one, whose versions would begin again", async () => {
      const { categories } = opened.store;
      const { created: last } = await categories.create({ name: "Last" }, { now: Date.now() });
      await categories.put({ id: last.id + 1n, name: "Named by a client" }, { now: Date.now() });
      await categories.delete(last.id + 1n, { now: Date.now() });
      const { created: next } = await categories.create({ name: "Next" }, { now: Date.now() });
      expect(next.id).toBe(last.id + 2n);
    });

    test("a category has a later version each time, also after it was removed", async () => {
      const { categories } = opened.store;
      const events = await since(async () => {
        for (const name of ["Dogs", "Cats"]) await categories.put({ id: -7n, name }, AUTHORED);
        await categories.delete(-7n, AUTHORED);
        await categories.put({ id: -7n, name: "Birds" }, AUTHORED);
        await categories.create({ name: "Fish" }, AUTHORED);
      });
      expect(events.map(({ type }) => type)).toEqual([
        "category.created",
        "category.updated",
        "category.deleted",
        "category.created",
        "category.created",
      ]);
      const versions = events.slice(0, 4).map(({ version }) => version);
      expect(versions).toEqual([...new Set(versions)].toSorted((a, b) => a - b));
      expect(events[2]?.data).toBe('{"id":-7,"name":"Cats"}');
    });

    test("a repeated creation has one event", async () => {
      const { pets } = opened.store;
      const key = { keyId: "key_1", key: "once", now: NOW };
      const events = await since(async () => {
        for (const requestId of ["first", "again"])
          await pets.createIdempotently({ name: "Tom", categoryId: 3n }, key, { now: NOW, requestId });
      });
      expect(events.map(({ type, at, requestId }) => [type, at, requestId])).toEqual([["pet.created", NOW, "first"]]);
    });

    test("an import has one for each pet", async () => {
      states(
        "docs/events.md",
        "Each change of a pet, a category or an order is an event, by a client, an operator, an import",
      );
      const pets = Array.from({ length: 50 }, (_, i) => ({ name: `Pet ${i}`, categoryId: BigInt(i) }));
      const entry = { ...ENTRY, at: NOW, requestId: "import" };
      const events = await since(() => opened.store.bulk.add(pets, entry));
      expect(events.map(({ data }) => /"name":"([^"]*)"/.exec(data)?.[1])).toEqual(pets.map(({ name }) => name));
      expect(new Set(events.map(({ type, at, requestId }) => `${type} ${at} ${requestId}`))).toEqual(
        new Set([`pet.created ${NOW} import`]),
      );
    });

    test("a filter by type, by several, or by both type and subject finds what it names, page by page", async () => {
      states(
        "docs/events.md",
        "`types` | types, separated by commas | none | the types above | Only events of these types.",
        "`subject` | string | none | such as `pets/7` | Only events of this pet, category or order.",
      );
      const { events } = opened.store;
      const found = await all();
      for (const types of [
        ["pet.created"],
        ["order.placed", "category.deleted"],
        ["pet.deleted", "pet.created"],
      ] as const) {
        const expected = found.filter(({ type }) => types.some((one) => one === type));
        expect((await pageOf({ after: 0n, limit: 1_000, types })).map(withDetails)).toEqual(expected);
        const after = BigInt(expected[0]?.id ?? 0);
        expect((await pageOf({ after, limit: 1, types })).map(withDetails)).toEqual(expected.slice(1, 2));
      }
      for (const page of [
        {},
        { types: ["pet.created", "order.placed"] },
        { subject: parseSubject("pets/1") },
      ] as const) {
        const newest: StoredEvent[] = [];
        for (let after = INT64; ; after = BigInt(newest.at(-1)?.id ?? 0)) {
          const older = await events.list({ ...page, after, limit: 7, order: "desc" });
          if (older.length === 0) break;
          newest.push(...older);
        }
        expect(newest.toReversed()).toEqual(await events.list({ ...page, after: 0n, limit: 1_000 }));
      }
      const subject = parseSubject("pets/1");
      const types = ["pet.deleted"] as const;
      expect((await events.list({ after: 0n, limit: 9, subject, types })).map(({ type }) => type)).toEqual([...types]);
      expect(await events.list({ after: 0n, limit: 9, subject, types: ["order.placed"] })).toEqual([]);
      expect((await events.list({ after: 0n, limit: 9, subject: parseSubject("orders/1") })).length).toBe(3);
    });

    /** Makes many changes at once in both processes, some of the same pets. Refused ones change nothing. */
    async function change(random: () => number): Promise<void> {
      const pick = <T>(items: readonly T[]) => items[Math.floor(random() * items.length)] as T;
      const [pets, orders] = await Promise.all([
        opened.store.pets.list({ after: INT64, limit: 40, order: "desc" }),
        opened.store.orders.list({ after: INT64, limit: 40, order: "desc" }),
      ]);
      const changes = Array.from({ length: 60 }, (_, i): (() => Promise<unknown>) => {
        const { pets: catalogue, orders: book, categories } = pick([opened.store, opened.other]);
        const pet = BigInt(pick(pets.slice(0, 12)).id);
        const author = pick([{ requestId: `request-${i}`, now: NOW }, AUTHORED]);
        return pick([
          () => catalogue.create({ name: `New ${i}`, categoryId: BigInt(i) }, author),
          () =>
            catalogue.createIdempotently({ name: "Same", categoryId: 1n }, { keyId: "k", key: `${i % 9}`, now: NOW }),
          () => catalogue.update(pet, { name: `Name ${i}` }, author),
          () => catalogue.update(pet, { name: `Name ${i}` }, author),
          () => catalogue.update(pet, { status: pick(["available", "sold", "pending"] as const) }, author),
          () => catalogue.delete(BigInt(pick(pets).id), author),
          () => book.place(pet, NOW, author),
          () => book.place(BigInt(pick(pets).id), NOW, { ...author, key: { keyId: "k", key: `o${i % 5}`, now: NOW } }),
          async () =>
            book.update(BigInt(pick(orders).id), pick(["approved", "delivered", "cancelled"] as const), NOW, author),
          () => categories.put({ id: BigInt(i % 5) - 2n, name: `Category ${i}` }, author),
          () => categories.delete(BigInt(i % 5) - 2n, author),
        ]);
      });
      await Promise.all(changes.map((one) => unlessRefused(one())));
    }

    /** The states that clients see, by subject. */
    async function contents(): Promise<Map<string, string>> {
      await opened.refresh();
      const { pets, categories, orders } = opened.other;
      return new Map([
        ...(await pets.list({ after: 0n, limit: 9_999 })).map(
          (pet) => [`pets/${pet.id}`, toJson(petJson(pet))] as const,
        ),
        ...(await categories.list({ limit: 9_999 })).map(
          (one) => [`categories/${one.id}`, toJson(categoryJson(one))] as const,
        ),
        ...(await orders.list({ after: 0n, limit: 9_999 })).map(
          (one) => [`orders/${one.id}`, toJson(orderJson(one))] as const,
        ),
      ]);
    }

    test("beside mixed changes each version has exactly one event, in order, and a mirror is equal to the store", async () => {
      states(
        "CHANGELOG.md",
        "is a feed of all changes of pets, categories and orders, in the order of their versions and without a gap, over any number of nodes.",
      );
      states(
        "docs/events.md",
        "or a reset of staging.",
        "No event appears below one that you have seen, on any node.",
        "`version` | integer | The version of the subject, which grows with each change.",
      );
      let seed = 7;
      const random = () => {
        seed = (seed * 16_807) % 2_147_483_647;
        return seed / 2_147_483_647;
      };
      let mirror = new Mirror(opened.store.events);
      for (let round = 0; round < 8; round++) {
        const changing = change(random);
        await mirror.follow(3);
        // It goes on in another process, from what it has stored.
        mirror = new Mirror(round % 2 === 0 ? opened.other.events : opened.store.events, mirror.stored());
        await changing;
        await opened.refresh();
        await mirror.follow();
        expect(mirror.states).toEqual(await contents());
      }
      await opened.store.shop.replace(sampleShop({ pets: 30, now: NOW }), AUTHORED);
      await opened.refresh();
      await mirror.follow();
      expect(mirror.states).toEqual(await contents());
      const versions = Map.groupBy(await all(), ({ subject }) => subject);
      for (const [subject, events] of versions) {
        const found = events.map(({ version }) => version);
        if (subject.startsWith("categories/")) expect(found).toEqual([...new Set(found)].toSorted((a, b) => a - b));
        else expect([subject, ...found]).toEqual([subject, ...found.map((_, i) => i + 1)]);
      }
    });

    test("pruning keeps the newest, and an older position is expired, however it is filtered", async () => {
      states("docs/settings.md", "How many events are kept, at most: the oldest ones are deleted first.");
      states("docs/errors.md", "The position in `after` is older than the oldest event that is kept,");
      states(
        "docs/events.md",
        "`after` | integer (int64) | 0 | 0 to 9223372036854775807 | Only events with a greater id: your position. With 0 you begin with the oldest event that is kept.",
        "and if there are too many:",
        "a position from before the oldest event that is kept is 410 `position_expired`.",
      );
      const { events } = opened.store;
      const newest = await events.newest();
      expect(await events.prune({ since: 0, most: 1_000_000 }, 100)).toBe(0);
      expect(await events.prune({ since: 0, most: 50 }, 100)).toBe(100);
      while ((await events.prune({ since: 0, most: 50 }, 100)) > 0);
      const kept = await events.oldest();
      expect(kept).toBe(newest - 49n);
      const oldest = kept ?? 0n;
      expect((await events.list({ after: 0n, limit: 1 }))[0]?.id).toBe(Number(oldest));
      expect((await events.list({ after: oldest - 1n, limit: 1 }))[0]?.id).toBe(Number(oldest));
      for (const filter of [{}, { types: ["pet.created"] as const }, { subject: parseSubject("pets/999") }]) {
        const read = async () => events.list({ after: oldest - 2n, limit: 1, ...filter });
        expect(await read().catch(({ code }) => code)).toBe("position_expired");
        const found = await events.list({ after: oldest - 1n, limit: 1, ...filter });
        expect(found.every(({ id }) => id >= Number(oldest))).toBe(true);
      }
      while ((await events.prune({ since: Infinity, most: 50 }, 100)) > 0);
      expect([await events.oldest(), await events.newest()]).toEqual([newest, newest]);
      expect(await events.list({ after: newest, limit: 1 })).toEqual([]);
    });
  });
}

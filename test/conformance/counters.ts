import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import type { Key } from "../../src/domain/keys/key.ts";
import {
  type Caller,
  type CallerOrder,
  type Counters,
  type DeprecatedCalls,
  type KeyStore,
  noActivity,
} from "../../src/domain/keys/store.ts";
import type { LimitState } from "../../src/domain/limits/limits.ts";
import { changedStates } from "../support/changed-states.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

/** As of a key that was never refused, which is stored as four numbers. */
const plainWindow = fc.record({ count: fc.nat(), resetAt: fc.nat() });
const plain: fc.Arbitrary<LimitState> = fc.record({ minute: plainWindow, day: plainWindow });
const window = fc.record(
  { count: fc.nat(), resetAt: fc.nat(), refusedAt: fc.double({ min: 0, max: 1e15, noNaN: true }) },
  { requiredKeys: ["count", "resetAt"] },
);
const usage: fc.Arbitrary<LimitState> = fc.record(
  {
    minute: window,
    day: window,
    banState: fc.record(
      {
        strikes: fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 100 }))),
        ban: fc.record({ since: fc.nat(), until: fc.nat(), step: fc.nat(3) }),
      },
      { requiredKeys: ["strikes"] },
    ),
  },
  { requiredKeys: ["minute", "day"] },
);

/** What every place does that keeps counters and activity over a restart, beside the keys that they are of. */
export function countersConformance(
  name: string,
  open: () => Awaitable<Opened<{ counters: Counters; keys: KeyStore }>>,
): void {
  describe(`${name} as a place for counters`, () => {
    let opened: Awaited<ReturnType<typeof open>>;
    let store: typeof opened.store;
    beforeEach(async () => {
      opened = await open();
      store = opened.store;
    });
    afterEach(() => opened.close());

    const addKey = async (id: string): Promise<Key> => {
      const limits = { perMinute: 1, perDay: 1 };
      const key: Key = { id, name: `name of ${id}`, plan: "free", limits, scopes: [], createdAt: 1 };
      await store.keys.add(key, { hash: id, keyId: id, lastFour: "abcd", createdAt: 1 }, ENTRY);
      return key;
    };

    test("returns limit states exactly as they were saved, and no removed ones", async () => {
      const id = fc.constantFrom("key_1", "key_2", "key_3");
      await eventuallyHolds(
        fc.asyncProperty(
          fc.array(fc.tuple(id, fc.option(fc.oneof(plain, usage), { nil: undefined }))),
          async (steps) => {
            const states = await store.counters.load();
            for (const key of ["key_1", "key_2", "key_3"]) states.delete(key);
            await store.counters.save(states.drain(), noActivity());
            const expected = new Map<string, LimitState>();
            for (const [key, kept] of steps) {
              if (kept === undefined) {
                states.delete(key);
                expected.delete(key);
              } else {
                states.set(key, kept);
                expected.set(key, kept);
              }
              await store.counters.save(states.drain(), noActivity());
            }
            const loaded = await store.counters.load();
            expect(new Map(loaded)).toEqual(expected);
            expect(loaded.drain().places).toEqual([]);
            expect(await store.counters.limitStateOf("key_1")).toEqual(expected.get("key_1"));
          },
        ),
        30,
      );
    });

    test("adds up calls of deprecated operations, with the time and User-Agent of the last one", async () => {
      const save = (keyId: string, calls: DeprecatedCalls) =>
        store.counters.save(changedStates(), {
          ...noActivity(),
          deprecated: new Map([["getPet", new Map([[keyId, calls]])]]),
        });
      await save("key_1", { calls: 2, lastCalledAt: 500, userAgent: "shop/2" });
      await save("key_1", { calls: 3, lastCalledAt: 400, userAgent: "shop/1" });
      await save("key_2", { calls: 1, lastCalledAt: 100 });
      const first = { calls: 5, lastCalledAt: 500, userAgent: "shop/2" };
      const second = { calls: 1, lastCalledAt: 100 };
      expect(await store.counters.deprecatedCallsOf("key_1")).toEqual(new Map([["getPet", first]]));
      expect(await store.counters.deprecatedCallsOf("key_3")).toEqual(new Map());
      const all = await store.counters.callers({ order: "calls", limit: 9 });
      expect(all).toEqual([
        { operation: "getPet", keyId: "key_1", keyName: "", ...first },
        { operation: "getPet", keyId: "key_2", keyName: "", ...second },
      ]);
      await save("key_1", { calls: 1, lastCalledAt: 600 });
      await save("key_2", { calls: 1, lastCalledAt: 600, userAgent: "shop/3" });
      const one = await store.counters.deprecatedCallsOf("key_1");
      expect(one).toEqual(new Map([["getPet", { calls: 6, lastCalledAt: 600, userAgent: "shop/2" }]]));
      const other = await store.counters.deprecatedCallsOf("key_2");
      expect(other).toEqual(new Map([["getPet", { calls: 2, lastCalledAt: 600, userAgent: "shop/3" }]]));
    });

    test("stores a key's last use with the key, and a change of the key keeps it", async () => {
      const key = await addKey("key_1");
      await store.counters.save(changedStates(), { ...noActivity(), lastUsed: new Map([["key_1", 77]]) });
      await store.keys.replace({ ...key, name: "renamed" }, 1, ENTRY);
      const lastUse = async (at: number) => {
        await store.counters.save(changedStates(), { ...noActivity(), lastUsed: new Map([["key_1", at]]) });
        return (await store.keys.get("key_1"))?.key;
      };
      expect((await store.keys.get("key_1"))?.key).toMatchObject({ name: "renamed", lastUsedAt: 77 });
      // A node whose clock is behind does not set it back.
      expect(await lastUse(76)).toMatchObject({ lastUsedAt: 77 });
      expect(await lastUse(78)).toMatchObject({ lastUsedAt: 78 });
    });

    test("gives each key its own last use, wherever it is read", async () => {
      for (const id of ["key_a", "key_b", "key_never"]) await addKey(id);
      const lastUsed = new Map(["key_b", "key_a"].map((id, i) => [id, 70 + i]));
      await store.counters.save(changedStates(), { ...noActivity(), lastUsed });
      const expected = [["key_a", 71] as const, ["key_b", 70] as const, ["key_never", undefined] as const];
      const usesIn = (keys: Key[]) => keys.map(({ id, lastUsedAt }) => [id, lastUsedAt] as const).sort();
      for (const filter of [{}, { search: "name of" }, { plan: ["free" as const] }, { order: "owner" as const }]) {
        const page = await store.keys.list({ order: "oldest", ...filter, limit: 9 }, 2);
        expect(usesIn(page.map(({ key }) => key))).toEqual(expected);
      }
      for (const [id, at] of expected) {
        expect((await store.keys.get(id))?.key.lastUsedAt).toBe(at);
        // The secret of a key has its id as its hash here.
        expect((await store.keys.findBySecret(id))?.key.lastUsedAt).toBe(at ?? 0);
      }
    });

    test("lists the callers of an operation in each order, page by page, with the names of their keys", async () => {
      states("docs/administration.md", "`sort` is `lastCalledAt`, `calls` or `keyId`, in descending order");
      for (const id of ["key_1", "key_2"]) await addKey(id);
      const calls: [operation: string, keyId: string, calls: number, lastCalledAt: number][] = [
        ["getPet", "key_1", 5, 100],
        ["getPet", "key_2", 7, 100],
        ["getPet", "key_gone", 5, 300],
        ["other", "key_1", 9, 200],
      ];
      for (const [operation, id, calls_, lastCalledAt] of calls) {
        const byKey = new Map([[id, { calls: calls_, lastCalledAt }]]);
        await store.counters.save(changedStates(), { ...noActivity(), deprecated: new Map([[operation, byKey]]) });
      }
      const listed = async (order: CallerOrder, operation?: string) => {
        const callers: Caller[] = [];
        for (let after: Caller | undefined; ; after = callers.at(-1)) {
          const page = await store.counters.callers({ order, operation, limit: 2, after });
          callers.push(...page);
          if (page.length < 2) return callers.map((one) => `${one.operation} ${one.keyId} ${one.keyName}`);
        }
      };
      const [first, second, gone, other] = [
        "getPet key_1 name of key_1",
        "getPet key_2 name of key_2",
        "getPet key_gone ",
        "other key_1 name of key_1",
      ];
      expect(await listed("lastCalledAt", "getPet")).toEqual([gone, second, first]);
      expect(await listed("calls", "getPet")).toEqual([second, gone, first]);
      expect(await listed("calls")).toEqual([other, second, gone, first]);
      expect(await listed("keyId")).toEqual([gone, second, other, first]);
      expect(await store.counters.callTotal("getPet")).toEqual({ callers: 3, calls: 17 });
      expect(await store.counters.callTotal("none")).toEqual({ callers: 0, calls: 0 });
    });

    test("sums the calls of each operation, also of keys that call again", async () => {
      const save = (deprecated: Record<string, Record<string, number>>) =>
        store.counters.save(changedStates(), {
          ...noActivity(),
          deprecated: new Map(
            Object.entries(deprecated).map(([operation, byKey]) => [
              operation,
              new Map(Object.entries(byKey).map(([id, calls]) => [id, { calls, lastCalledAt: 1 }])),
            ]),
          ),
        });
      await save({ getPet: { key_1: 5, key_2: 7 } });
      await save({ getPet: { key_2: 11, key_3: 13, key_1: 17 }, other: { key_1: 19 } });
      await save({ other: { key_1: 23, key_2: 29 } });
      expect(await store.counters.callTotal("getPet")).toEqual({ callers: 3, calls: 53 });
      expect(await store.counters.callTotal("other")).toEqual({ callers: 2, calls: 71 });
    });

    test("lists and counts a key as banned until its ban ends, or is lifted", async () => {
      const key = await addKey("key_1");
      await addKey("key_2");
      const ban = (since: number, until: number) =>
        store.counters.save(changedStates(), { ...noActivity(), bans: new Map([["key_1", { since, until }]]) });
      const bannedAt = async (now: number) => {
        const asked = { state: ["banned" as const], order: "newest" as const };
        const page = await store.keys.list({ ...asked, limit: 9 }, now);
        const { total } = await store.keys.listCounted({ ...asked, limit: 1 }, now);
        expect(total).toBe(page.length);
        expect((await store.keys.counts(now)).byState.banned).toBe(page.length);
        return page.map((one) => one.key.id);
      };
      await ban(50, 100);
      expect(await bannedAt(99)).toEqual(["key_1"]);
      expect(await bannedAt(100)).toEqual([]);
      await store.keys.replace({ ...key, name: "renamed" }, 1, ENTRY);
      expect(await bannedAt(99)).toEqual(["key_1"]);
      await store.keys.replace({ ...key, pardonedAt: 60 }, 2, ENTRY);
      expect(await bannedAt(99)).toEqual([]);
      // Those that the pardon lifted are saved later than it.
      for (const since of [1, 59, 60]) {
        await ban(since, 100);
        expect(await bannedAt(99)).toEqual([]);
      }
      await ban(61, 100);
      expect(await bannedAt(99)).toEqual(["key_1"]);
    });
  });
}

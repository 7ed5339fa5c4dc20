import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import { type DeprecatedCalls, noActivity } from "../../src/domain/keys/activity.ts";
import type { Counters } from "../../src/domain/keys/counters.ts";
import type { KeyStore } from "../../src/domain/keys/store.ts";
import type { LimitState } from "../../src/domain/limits/limit-state.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

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

    test("returns limit states exactly as they were saved, and no removed ones", async () => {
      const id = fc.constantFrom("key_1", "key_2", "key_3");
      await eventuallyHolds(
        fc.asyncProperty(fc.array(fc.tuple(id, fc.option(usage, { nil: undefined }))), async (steps) => {
          await store.counters.save(new Map(["key_1", "key_2", "key_3"].map((key) => [key, undefined])), noActivity());
          const expected = new Map<string, LimitState>();
          for (const [key, kept] of steps) {
            await store.counters.save(new Map([[key, kept]]), noActivity());
            if (kept === undefined) expected.delete(key);
            else expected.set(key, kept);
          }
          expect(await store.counters.load()).toEqual(expected);
          expect(await store.counters.limitStateOf("key_1")).toEqual(expected.get("key_1"));
        }),
        30,
      );
    });

    test("adds up calls of deprecated operations, with the time and User-Agent of the last one", async () => {
      const save = (keyId: string, calls: DeprecatedCalls) =>
        store.counters.save(new Map(), {
          lastUsed: new Map(),
          deprecated: new Map([["getPet", new Map([[keyId, calls]])]]),
        });
      await save("key_1", { calls: 2, lastCalledAt: 500, userAgent: "shop/2" });
      await save("key_1", { calls: 3, lastCalledAt: 400, userAgent: "shop/1" });
      await save("key_2", { calls: 1, lastCalledAt: 100 });
      const first = { calls: 5, lastCalledAt: 500, userAgent: "shop/2" };
      const second = { calls: 1, lastCalledAt: 100 };
      expect(await store.counters.deprecatedCallsOf("key_1")).toEqual(new Map([["getPet", first]]));
      expect(await store.counters.deprecatedCallsOf("key_3")).toEqual(new Map());
      const all = new Map<string, DeprecatedCalls>([
        ["key_1", first],
        ["key_2", second],
      ]);
      expect(await store.counters.deprecatedCalls()).toEqual(new Map([["getPet", all]]));
      await save("key_1", { calls: 1, lastCalledAt: 600 });
      await save("key_2", { calls: 1, lastCalledAt: 600, userAgent: "shop/3" });
      const one = await store.counters.deprecatedCallsOf("key_1");
      expect(one).toEqual(new Map([["getPet", { calls: 6, lastCalledAt: 600, userAgent: "shop/2" }]]));
      const other = await store.counters.deprecatedCallsOf("key_2");
      expect(other).toEqual(new Map([["getPet", { calls: 2, lastCalledAt: 600, userAgent: "shop/3" }]]));
    });

    test("stores a key's last use with the key, and a change of the key keeps it", async () => {
      const key = {
        id: "key_1",
        name: "test",
        plan: "free" as const,
        limits: { perMinute: 60, perDay: 1_000 },
        scopes: [],
        createdAt: 1,
      };
      await store.keys.add(key, { hash: "x", keyId: "key_1", lastFour: "abcd", createdAt: 1 }, ENTRY);
      await store.counters.save(new Map(), { ...noActivity(), lastUsed: new Map([["key_1", 77]]) });
      await store.keys.replace({ ...key, name: "renamed" }, 1, ENTRY);
      const lastUse = async (at: number) => {
        await store.counters.save(new Map(), { ...noActivity(), lastUsed: new Map([["key_1", at]]) });
        return (await store.keys.get("key_1"))?.key;
      };
      expect((await store.keys.get("key_1"))?.key).toMatchObject({ name: "renamed", lastUsedAt: 77 });
      // A node whose clock is behind does not set it back.
      expect(await lastUse(76)).toMatchObject({ lastUsedAt: 77 });
      expect(await lastUse(78)).toMatchObject({ lastUsedAt: 78 });
    });
  });
}

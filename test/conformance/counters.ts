import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Awaitable } from "../../src/awaitable.ts";
import { noActivity } from "../../src/keys/activity.ts";
import type { Counters } from "../../src/keys/counters.ts";
import type { KeyStore } from "../../src/keys/store.ts";
import type { Usage } from "../../src/limits/usage.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { ENTRY } from "./entry.ts";
import type { Opened } from "./opened.ts";

const window = fc.record(
  { count: fc.nat(), resetAt: fc.nat(), refusedAt: fc.double({ min: 0, max: 1e15, noNaN: true }) },
  { requiredKeys: ["count", "resetAt"] },
);
const usage: fc.Arbitrary<Usage> = fc.record(
  {
    minute: window,
    day: window,
    conduct: fc.record(
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

    test("usages come back exactly as they were kept; what was forgotten does not", async () => {
      const id = fc.constantFrom("key_1", "key_2", "key_3");
      await eventuallyHolds(
        fc.asyncProperty(fc.array(fc.tuple(id, fc.option(usage, { nil: undefined }))), async (steps) => {
          await store.counters.save(new Map(["key_1", "key_2", "key_3"].map((key) => [key, undefined])), noActivity());
          const expected = new Map<string, Usage>();
          for (const [key, kept] of steps) {
            await store.counters.save(new Map([[key, kept]]), noActivity());
            if (kept === undefined) expected.delete(key);
            else expected.set(key, kept);
          }
          expect(await store.counters.load()).toEqual(expected);
          expect(await store.counters.usageOf("key_1")).toEqual(expected.get("key_1"));
        }),
        30,
      );
    });

    test("calls of deprecated operations add up, and the last one's moment stays", async () => {
      const calls = (count: number, lastCalledAt: number) => ({
        lastUsed: new Map<string, number>(),
        deprecated: new Map([["getPet", new Map([["key_1", { calls: count, lastCalledAt }]])]]),
      });
      await store.counters.save(new Map(), calls(2, 500));
      await store.counters.save(new Map(), calls(3, 400));
      expect(await store.counters.deprecatedCallsOf("key_1")).toEqual(
        new Map([["getPet", { calls: 5, lastCalledAt: 500 }]]),
      );
      expect(await store.counters.deprecatedCallsOf("key_2")).toEqual(new Map());
    });

    test("a key's last use is kept with the key, and a change of the key leaves it", async () => {
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
      await store.keys.replace(key, { ...key, name: "renamed" }, ENTRY);
      expect((await store.keys.get("key_1"))?.key).toMatchObject({ name: "renamed", lastUsedAt: 77 });
    });
  });
}

import { expect, test } from "bun:test";
import fc from "fast-check";
import { ActivityBuffer } from "../../../src/adapters/memory/activity-buffer.ts";
import { newSecret } from "../../../src/domain/keys/secret.ts";
import { type Activity, mergeActivity, noActivity, userAgentOf } from "../../../src/domain/keys/store.ts";
import { holds } from "../../support/holds.ts";

const id = fc.constantFrom("key_1", "key_2", "key_3");
const event = fc.record({ isDeprecated: fc.boolean(), id, now: fc.nat(1_000) });
const operation = "getPet";

function note(log: ActivityBuffer, events: { isDeprecated: boolean; id: string; now: number }[]): void {
  for (const { isDeprecated, id: key, now } of events) {
    if (isDeprecated) log.calledDeprecated(operation, key, now, undefined);
    else log.used(key, now);
  }
}

test("nothing is lost or counted twice, however often a write fails", () => {
  const rounds = fc.array(fc.record({ events: fc.array(event), fails: fc.boolean() }));
  holds(
    fc.property(rounds, (steps) => {
      const log = new ActivityBuffer();
      const written = noActivity();
      for (const { events, fails } of steps) {
        note(log, events);
        const drained = log.drain();
        if (fails) log.requeue(drained);
        else mergeActivity(written, drained);
      }
      mergeActivity(written, log.drain());
      const all = steps.flatMap(({ events }) => events);
      const calls = Map.groupBy(
        all.filter(({ isDeprecated }) => isDeprecated),
        (one) => one.id,
      );
      const expected: Activity["deprecated"] = new Map();
      for (const [key, its] of calls) {
        const byKey = expected.get(operation) ?? new Map();
        expected.set(
          operation,
          byKey.set(key, { calls: its.length, lastCalledAt: Math.max(...its.map(({ now }) => now)) }),
        );
      }
      expect(written.deprecated).toEqual(expected);
      expect(new Set(written.lastUsed.keys())).toEqual(
        new Set(all.filter(({ isDeprecated }) => !isDeprecated).map((one) => one.id)),
      );
    }),
  );
});

test("the last use and the last call of an earlier write are kept where they are later", () => {
  const log = new ActivityBuffer();
  log.used("key_1", 200);
  log.used("key_2", 100);
  log.calledDeprecated(operation, "key_1", 200, "shop/2");
  const unsaved = log.drain();
  log.used("key_1", 100);
  log.used("key_2", 200);
  log.calledDeprecated(operation, "key_1", 100, "shop/1");
  log.requeue(unsaved);
  const { lastUsed, deprecated } = log.drain();
  expect(Object.fromEntries(lastUsed)).toEqual({ key_1: 200, key_2: 200 });
  expect(deprecated.get(operation)?.get("key_1")).toEqual({ calls: 2, lastCalledAt: 200, userAgent: "shop/2" });
  expect(log.drain()).toEqual(noActivity());
});

test("a stored User-Agent is short, has one line, and contains nothing that looks like a key", () => {
  const secret = newSecret("production");
  const header = fc.tuple(fc.string({ unit: "binary", maxLength: 300 }), fc.boolean());
  holds(
    fc.property(header, ([text, hasSecret]) => {
      const kept = userAgentOf(hasSecret ? `${text}${secret}` : text) ?? "";
      expect(kept.length).toBeLessThanOrEqual(200);
      expect(kept.isWellFormed()).toBe(true);
      expect(kept).not.toMatch(/\p{Cc}/u);
      expect(kept).not.toContain(secret.slice(0, 20));
    }),
    300,
  );
  expect(userAgentOf(`${"x".repeat(199)}😀`)).toBe(`${"x".repeat(199)}\ufffd`);
  expect(userAgentOf("shop/1.0 (Linux)")).toBe("shop/1.0 (Linux)");
  expect([userAgentOf(null), userAgentOf(" ")]).toEqual([undefined, undefined]);
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { LimitStates } from "../../../src/adapters/memory/limit-states.ts";
import type { LimitState } from "../../../src/domain/limits/limit-state.ts";
import { MAX_LIMIT } from "../../../src/domain/limits/plans.ts";
import { holds } from "../../support/holds.ts";

const plainWindow = fc.record({ count: fc.nat(MAX_LIMIT), resetAt: fc.nat({ max: 5_000_000_000 }) });
const refusedWindow = fc.record({ count: fc.nat(9), resetAt: fc.nat(9), refusedAt: fc.nat(9_000) });
const plain: fc.Arbitrary<LimitState> = fc.record({ minute: plainWindow, day: plainWindow });
/** Refused by the minute, by the day, or with strikes. */
const others: fc.Arbitrary<LimitState> = fc.oneof(
  fc.record({ minute: refusedWindow, day: plainWindow }),
  fc.record({ minute: plainWindow, day: refusedWindow }),
  fc.record({
    minute: plainWindow,
    day: plainWindow,
    banState: fc.record({ strikes: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 2 }) }),
  }),
);
/** More keys than the first array has room for. */
const id = fc.nat(30).map((n) => `key_${n}`);
const states = fc.oneof({ weight: 3, arbitrary: plain }, others);
/** A state to set; undefined deletes. */
const change = fc.tuple(id, fc.oneof({ weight: 3, arbitrary: states }, fc.constant(undefined)));

test("holds the states of a map after any changes", () => {
  holds(
    fc.property(fc.array(fc.tuple(id, states)), fc.array(change, { size: "max", maxLength: 200 }), (first, changes) => {
      const expected = new Map(first);
      const actual = new LimitStates(first);
      for (const [id, state] of changes) {
        if (state === undefined) {
          expected.delete(id);
          actual.delete(id);
        } else {
          expected.set(id, state);
          actual.set(id, state);
        }
        expect(actual.get(id)).toEqual(state);
      }
      for (const [id, state] of expected) expect(actual.get(id)).toEqual(state);
      expect(new Map(actual)).toEqual(expected);
    }),
  );
});

test("a plain state is a copy, which counts when it is set", () => {
  const states = new LimitStates([]);
  states.set("key_1", { minute: { count: 1, resetAt: 60 }, day: { count: 1, resetAt: 86_400 } });
  const state = states.get("key_1");
  if (state !== undefined) state.minute.count = 2;
  expect(states.get("key_1")?.minute.count).toBe(1);
});

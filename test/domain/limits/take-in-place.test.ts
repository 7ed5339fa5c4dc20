import { expect, test } from "bun:test";
import fc from "fast-check";
import { type LimitState, take, takeInPlace } from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";
import { limits, moment, pause } from "./schedules.ts";

test("a request that is counted in place gets the decision and leaves the state that take gives", () => {
  holds(
    fc.property(
      moment,
      fc.array(pause, { minLength: 1, maxLength: 40, size: "max" }),
      limits,
      (start, pauses, limits) => {
        let now = start;
        let state: LimitState | undefined;
        let inPlace: LimitState | undefined;
        for (const pause of pauses) {
          now += pause;
          const taken = take(state, { id: "key", limits }, now);
          const decision = inPlace && takeInPlace(inPlace, limits, now);
          if (decision === undefined) inPlace = take(inPlace, { id: "key", limits }, now).state;
          else expect(decision).toEqual(taken.decision);
          expect(inPlace).toEqual(taken.state);
          state = taken.state;
        }
      },
    ),
  );
});

test("open windows with room are counted in place, and nothing else", () => {
  const now = Date.UTC(2026, 11, 1);
  const own = { perMinute: 2, perDay: 3 };
  const state = (): LimitState => take(undefined, { id: "key", limits: own }, now).state;
  expect(takeInPlace(state(), own, now)?.windows.map(({ remaining }) => remaining)).toEqual([0, 1]);
  const others: [LimitState, number][] = [
    [state(), now + 60_000],
    [{ ...state(), minute: { count: 2, resetAt: now / 1000 + 60 } }, now],
    [{ ...state(), day: { count: 3, resetAt: now / 1000 + 60 } }, now],
    [{ ...state(), day: { count: 1, resetAt: now / 1000 } }, now],
    [{ ...state(), banState: { strikes: [] } }, now],
  ];
  for (const [other, at] of others) {
    const before = structuredClone(other);
    expect(takeInPlace(other, own, at)).toBeUndefined();
    expect(other).toEqual(before);
  }
});

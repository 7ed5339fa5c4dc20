import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { current, DAY, MINUTE, secondsUntil } from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";
import { moment } from "./schedules.ts";

const length = fc.constantFrom(MINUTE, DAY);

describe("a new window", () => {
  test("ends on the last whole second that is at most its length away", () => {
    holds(
      fc.property(moment, length, (now, seconds) => {
        const { count, resetAt } = current(undefined, seconds, now);
        expect(count).toBe(0);
        expect(Number.isInteger(resetAt)).toBe(true);
        expect(resetAt * 1000 - now).toBeLessThanOrEqual(seconds * 1000);
        expect(resetAt * 1000 - now).toBeGreaterThan((seconds - 1) * 1000);
      }),
    );
  });
});

describe("a window", () => {
  test("covers every moment before its end, and none from then on", () => {
    holds(
      fc.property(moment, length, fc.double({ min: 0, max: 1, noNaN: true }), (opened, seconds, part) => {
        const window = { ...current(undefined, seconds, opened), count: 3, refusedAt: opened };
        const end = window.resetAt * 1000;
        const now = opened + (end - opened) * part;
        if (now < end) expect(current(window, seconds, now)).toBe(window);
        expect(current(window, seconds, end)).toEqual({ count: 0, resetAt: window.resetAt + seconds });
        expect(current(window, seconds, end - 1)).toBe(window);
      }),
    );
  });

  test("stays when the clock is set back a little", () => {
    holds(
      fc.property(moment, length, fc.integer({ min: 0, max: 4_000 }), (opened, seconds, back) => {
        const window = current(undefined, seconds, opened);
        expect(current(window, seconds, opened - back)).toBe(window);
      }),
    );
  });

  test("does not refuse a key for longer than its length after a clock was far ahead", () => {
    holds(
      fc.property(moment, length, fc.integer({ min: 6_000, max: 10 ** 12 }), (opened, seconds, back) => {
        const window = { ...current(undefined, seconds, opened), count: 99 };
        const now = opened - back;
        expect(current(window, seconds, now)).toEqual(current(undefined, seconds, now));
      }),
    );
  });
});

describe("the seconds until a window's end", () => {
  test("are the smallest whole number that is long enough to wait", () => {
    holds(
      fc.property(moment, fc.integer({ min: 0, max: 90_000 }), (now, ahead) => {
        const resetAt = Math.ceil(now / 1000) + ahead;
        const seconds = secondsUntil(resetAt, now);
        expect(Number.isInteger(seconds) && seconds >= 1).toBe(true);
        expect(now + seconds * 1000).toBeGreaterThanOrEqual(resetAt * 1000);
        if (seconds > 1) expect(now + (seconds - 1) * 1000).toBeLessThan(resetAt * 1000);
      }),
    );
  });
});

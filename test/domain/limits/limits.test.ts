import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type BanState,
  current,
  DAY,
  isForgotten,
  isOver,
  type LimitState,
  limitStatusOf,
  limitsOf,
  MINUTE,
  pardoned,
  secondsUntil,
  strike,
  take,
  withPardon,
} from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";
import { limits, moment, pause } from "./schedules.ts";

/** 2026-12-02T10:00:00Z in Unix seconds, and in milliseconds. */
const SECOND = Date.UTC(2026, 11, 2, 10) / 1000;
const NOW = SECOND * 1000;
const LARGE = 1_000_000;
const length = fc.constantFrom(MINUTE, DAY);
const schedule = fc.array(pause, { minLength: 1, maxLength: 250, size: "max" });

test("the plans have the limits of docs/limits.md", () => {
  expect(limitsOf).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
  });
});

describe("a new window", () => {
  test("ends on the last whole second that is at most its length away", () => {
    states("docs/limits.md", "ends on a whole second, at most 60 seconds or 24 hours later.");
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
  test.each([
    [60, NOW + 1, 60],
    [60, NOW, 60],
    [60, NOW - 5_000, 60],
    [60, NOW - 5_001, undefined],
    [86_400, NOW - 5_000, 86_400],
    [86_400, NOW - 5_001, undefined],
    [60, NOW + 59_999, 60],
    [60, NOW + 60_000, undefined],
  ])("of %i s that was opened at 10:00:00 covers %i until %p s later", (seconds, now, covered) => {
    const window = { count: 1, resetAt: SECOND + seconds };
    expect(current(window, seconds, now) === window).toBe(covered !== undefined);
  });

  test.each([
    [NOW - 1, 2],
    [NOW, 1],
    [NOW + 1, 1],
    [NOW + 999, 1],
    [NOW + 1_000, 1],
    [NOW + 5_000, 1],
  ])("that ends at 10:00:01 ends at %i in %i s, at least 1", (now, seconds) => {
    expect(secondsUntil(SECOND + 1, now)).toBe(seconds);
  });

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
    states("docs/running.md", "If it is set back, windows that would end far in the future open again");
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

describe("when both windows are full and end together", () => {
  const full = { count: 1, resetAt: SECOND + 60 };
  const limits = { perMinute: 1, perDay: 1 };

  test("the day refuses", () => {
    const { decision } = take({ minute: full, day: full }, { id: "key", limits }, NOW);
    expect(decision).toMatchObject({ outcome: "quota_exceeded", shown: { name: "day" } });
  });

  test("the minute refuses if the day ends a second earlier", () => {
    const state = { minute: full, day: { count: 1, resetAt: SECOND + 59 } };
    expect(take(state, { id: "key", limits }, NOW).decision.outcome).toBe("rate_limit_exceeded");
  });
});

describe("a ban", () => {
  const banned: BanState = { strikes: [], ban: { since: NOW, until: SECOND + 300, step: 0 } };

  test("begins with one request only", () => {
    const window = { count: LARGE, resetAt: SECOND + 60, refusedAt: NOW - 2_000 };
    const strikes: [number, number][] = [[SECOND - 1, 99]];
    const state: LimitState = { minute: window, day: { count: 0, resetAt: SECOND + 999 }, banState: { strikes } };
    const subject = { id: "key", limits: { perMinute: 1, perDay: LARGE } };
    const first = take(state, subject, NOW);
    expect(first.decision).toMatchObject({ outcome: "key_banned", beginsBan: true });
    expect(take(first.state, subject, NOW).decision).toMatchObject({ outcome: "key_banned", beginsBan: false });
  });

  test("is remembered for exactly a day after its end", () => {
    const end = (SECOND + 300 + 86_400) * 1000;
    expect(isForgotten(banned, end - 1)).toBe(false);
    expect(isForgotten(banned, end)).toBe(true);
  });

  test("is longer than the last one until exactly a day after its end", () => {
    const last = { since: 0, until: SECOND - 86_400, step: 0 };
    const strikes: [number, number][] = [[SECOND - 1, 99]];
    const banned = (until: number) => strike({ strikes, ban: { ...last, until } }, 1, NOW).ban;
    expect(banned(SECOND - 86_400)).toEqual({ since: NOW, until: SECOND + 300, step: 0 });
    expect(banned(SECOND - 86_399)).toEqual({ since: NOW, until: SECOND + 900, step: 1 });
  });

  test("that began before a pardon or with it is lifted, and a later one stays", () => {
    expect(pardoned(banned, NOW - 1)).toEqual(banned);
    expect(pardoned(banned, NOW)).toEqual({ strikes: [] });
  });
});

describe("strikes", () => {
  const struck: BanState = { strikes: [[SECOND, 3]] };

  test("are remembered for ten minutes", () => {
    expect(isForgotten(struck, NOW + 599_999)).toBe(false);
    expect(isForgotten(struck, NOW + 600_000)).toBe(true);
  });

  test("count in the status as long as they count towards a ban", () => {
    const ages = fc.uniqueArray(fc.oneof(fc.nat(700), fc.integer({ min: 595, max: 605 })), { maxLength: 8 });
    const counts = fc.integer({ min: 1, max: 9 });
    holds(
      fc.property(fc.array(counts, { minLength: 8, maxLength: 8 }), ages, (each, ages) => {
        const strikes = ages.sort((a, b) => b - a).map((age, i): [number, number] => [SECOND - age, each[i] ?? 1]);
        const state: LimitState = { minute: current(undefined, MINUTE, NOW), day: current(undefined, DAY, NOW) };
        const status = limitStatusOf({ ...state, banState: { strikes } }, { id: "key", limits: limitsOf.free }, NOW);
        const next = strike({ strikes }, LARGE, NOW);
        expect(status.strikes + 1).toBe(next.strikes.reduce((sum, [, count]) => sum + count, 0));
        expect(status.strikes).toBe(strikes.reduce((sum, [at, count]) => (SECOND - at < 600 ? sum + count : sum), 0));
      }),
    );
  });

  test("of the second of a pardon are lifted", () => {
    expect(pardoned(struck, NOW - 1)).toEqual(struck);
    expect(pardoned(struck, NOW)).toEqual({ strikes: [] });
    expect(withPardon(struck, NOW - 1)).toEqual(struck);
    expect(withPardon(struck, NOW)).toBeUndefined();
  });
});

describe("a limit state is over", () => {
  const over = { count: 1, resetAt: SECOND };
  const open = { count: 1, resetAt: SECOND + 1 };

  test("when both of its windows have ended", () => {
    expect(isOver({ minute: over, day: over }, NOW)).toBe(true);
    expect(isOver({ minute: over, day: over }, NOW - 1)).toBe(false);
    expect(isOver({ minute: open, day: over }, NOW)).toBe(false);
    expect(isOver({ minute: over, day: open }, NOW)).toBe(false);
  });

  test("unless its strikes or its ban still count", () => {
    expect(isOver({ minute: over, day: over, banState: { strikes: [[SECOND - 599, 1]] } }, NOW)).toBe(false);
    expect(isOver({ minute: over, day: over, banState: { strikes: [[SECOND - 600, 1]] } }, NOW)).toBe(true);
    const ban = { since: 0, until: SECOND - 86_399, step: 0 };
    expect(isOver({ minute: over, day: over, banState: { strikes: [], ban } }, NOW)).toBe(false);
  });
});

/** The state of a key after requests with these pauses before each, and the moment of the last. */
function usedFrom(start: number, pauses: number[], its: { perMinute: number; perDay: number }) {
  let now = start;
  let state: LimitState | undefined;
  for (const pause of pauses) {
    now += pause;
    state = take(state, { id: "key", limits: its }, now).state;
  }
  return { state, now };
}

test("the next request of a key is allowed exactly if requests remain", () => {
  holds(
    fc.property(moment, schedule, limits, pause, (start, pauses, its, later) => {
      const { state, now: last } = usedFrom(start, pauses, its);
      const now = last + later;
      const subject = { id: "key", limits: its };
      const { minute, day, ban, shown, windows } = limitStatusOf(state, subject, now);
      const { decision } = take(state, subject, now);
      const isLetIn = ban === undefined && minute.remaining > 0 && day.remaining > 0;
      expect(decision.outcome === "allowed").toBe(isLetIn);
      expect(shown.remaining).toBe(ban ? 0 : Math.min(minute.remaining, day.remaining));
      if (!isLetIn) return;
      expect(decision.windows).toEqual(windows.map((window) => ({ ...window, remaining: window.remaining - 1 })));
    }),
  );
});

test("used and remaining requests add up to the limit, unless it was lowered since", () => {
  holds(
    fc.property(moment, schedule, limits, limits, (start, pauses, before, after) => {
      const { state, now } = usedFrom(start, pauses, before);
      const { minute, day } = limitStatusOf(state, { id: "key", limits: after }, now);
      expect(minute.limit).toBe(after.perMinute);
      expect(minute.remaining).toBe(Math.max(0, after.perMinute - minute.used));
      expect(day.remaining).toBe(Math.max(0, after.perDay - day.used));
    }),
  );
});

test("a window that is not open has no end, and its headers show one that opens now", () => {
  const now = Date.UTC(2026, 11, 2, 10) + 250;
  const { minute, day, strikes, ban, windows } = limitStatusOf(
    undefined,
    { id: "key", limits: { perMinute: 60, perDay: 1_000 } },
    now,
  );
  expect(minute).toEqual({ used: 0, limit: 60, remaining: 60, resetAt: undefined });
  expect(day).toEqual({ used: 0, limit: 1_000, remaining: 1_000, resetAt: undefined });
  expect({ strikes, ban }).toEqual({ strikes: 0, ban: undefined });
  expect(windows.map(({ resetAt }) => resetAt)).toEqual(
    [60, 86_400].map((seconds) => Math.floor(now / 1000) + seconds),
  );
});

test("strikes are shown for ten minutes, then a ban instead; a pardon ends both", () => {
  const its = { perMinute: 1, perDay: 1_000_000 };
  const subject = { id: "key", limits: its };
  const { state, now } = usedFrom(Date.UTC(2026, 11, 2), [0, 0, 2_000, ...new Array<number>(98).fill(0)], its);
  expect(limitStatusOf(state, subject, now)).toMatchObject({ strikes: 99, ban: undefined });
  expect(limitStatusOf(state, subject, now + 600_000).strikes).toBe(0);
  const banned = take(state, subject, now).state;
  expect(limitStatusOf(banned, subject, now)).toMatchObject({ strikes: 0, ban: { until: now / 1000 + 300 } });
  expect(limitStatusOf(banned, { ...subject, pardonedAt: now }, now).ban).toBeUndefined();
  expect(limitStatusOf(banned, subject, now + 300_000).ban).toBeUndefined();
});

import { describe, expect, test } from "bun:test";
import {
  type BanState,
  current,
  isForgotten,
  isOver,
  type LimitState,
  limitsOf,
  pardoned,
  secondsUntil,
  shareOf,
  strike,
  take,
  withPardon,
} from "../../../src/domain/limits/limits.ts";

/** 2026-12-02T10:00:00Z in Unix seconds, and in milliseconds. */
const SECOND = Date.UTC(2026, 11, 2, 10) / 1000;
const NOW = SECOND * 1000;
const LARGE = 1_000_000;

test("the plans have the limits of docs/limits.md", () => {
  expect(limitsOf).toEqual({
    free: { perMinute: 60, perDay: 1_000 },
    pro: { perMinute: 300, perDay: 10_000 },
    business: { perMinute: 1_000, perDay: 100_000 },
  });
});

test.each([
  [{ perMinute: 100, perDay: 1_000 }, 3, { perMinute: 33, perDay: 333 }],
  [{ perMinute: 60, perDay: 1_000 }, 7, { perMinute: 8, perDay: 142 }],
  [{ perMinute: 2, perDay: 3 }, 3, { perMinute: 1, perDay: 1 }],
  [{ perMinute: 1, perDay: 1 }, 9, { perMinute: 1, perDay: 1 }],
])("of %j each of %i nodes gets %j", (limits, nodes, share) => {
  expect(shareOf(limits, nodes)).toEqual(share);
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

import { expect, test } from "bun:test";
import type { Quotas } from "../../../src/domain/limits/limits.ts";
import { limitedAs } from "../../../src/domain/simulation.ts";

const NOW = Date.UTC(2026, 11, 2, 10) + 250;
const SECOND = Math.floor(NOW / 1000);
const minute = { name: "minute" as const, seconds: 60, limit: 60, remaining: 50, resetAt: SECOND + 40 };
const day = { name: "day" as const, seconds: 86_400, limit: 1_000, remaining: 900, resetAt: SECOND + 4_000 };
const quotas: Quotas = { now: NOW, shown: minute, windows: [minute, day] };
const limits = { perMinute: 60, perDay: 1_000 };

test("the minute is used up, and the day is as it is", () => {
  const usedUp = { ...minute, remaining: 0 };
  expect(limitedAs("rate_limit_exceeded", quotas, limits)).toEqual({
    ...{ outcome: "rate_limit_exceeded", now: NOW, beginsBan: false },
    ...{ shown: usedUp, windows: [usedUp, day] },
  });
});

test("the day is used up, and the minute is as it is", () => {
  const usedUp = { ...day, remaining: 0 };
  expect(limitedAs("quota_exceeded", quotas, limits)).toEqual({
    ...{ outcome: "quota_exceeded", now: NOW, beginsBan: false },
    ...{ shown: usedUp, windows: [minute, usedUp] },
  });
});

test("a ban is the first of its key, of five minutes, and does not begin", () => {
  const resetAt = SECOND + 1 + 300;
  const shown = { ...minute, remaining: 0, resetAt };
  expect(limitedAs("key_banned", quotas, limits)).toEqual({
    ...{ outcome: "key_banned", now: NOW, beginsBan: false },
    ...{ shown, windows: [shown, { ...day, remaining: 0, resetAt }] },
  });
});

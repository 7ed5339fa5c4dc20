import { expect, test } from "bun:test";
import fc from "fast-check";
import { type LimitState, limitStatusOf, take } from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";
import { limits, moment, pause } from "./schedules.ts";

const schedule = fc.array(pause, { minLength: 1, maxLength: 250, size: "max" });

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

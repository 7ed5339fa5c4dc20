import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isOver, type LimitState, take } from "../../../src/domain/limits/limit-state.ts";
import type { Decision, WindowQuota } from "../../../src/domain/limits/limiter.ts";
import { type Limits, limitsOf, MAX_LIMIT } from "../../../src/domain/limits/plans.ts";
import { holds } from "../../support/holds.ts";
import { limits, moment, pause } from "./schedules.ts";

/** Fewer requests than it takes strikes to ban a key. */
const MOST_REQUESTS = 99;

const requests = fc.array(pause, { minLength: 1, maxLength: MOST_REQUESTS, size: "max" });

/** The decisions on requests with these pauses before each, with limits that may differ for each. */
function decide(start: number, pauses: number[], limitsAt: (i: number) => Limits): Decision[] {
  let now = start;
  let state: LimitState | undefined;
  return pauses.map((pause, i) => {
    now += pause;
    const taken = take(state, { id: "key", limits: limitsAt(i) }, now);
    state = taken.state;
    return taken.decision;
  });
}

/** The two windows written a second time, as plainly as possible: what a decision has to say. */
class Ledger {
  #minute = { count: 0, end: 0 };
  #day = { count: 0, end: 0 };

  expect(decision: Decision, { perMinute, perDay }: Limits): void {
    const { now } = decision;
    if (now >= this.#minute.end * 1000) this.#minute = { count: 0, end: Math.floor(now / 1000) + 60 };
    if (now >= this.#day.end * 1000) this.#day = { count: 0, end: Math.floor(now / 1000) + 86_400 };
    const isMinuteFull = this.#minute.count >= perMinute;
    const isDayFull = this.#day.count >= perDay;
    if (!isMinuteFull && !isDayFull) {
      this.#minute.count += 1;
      this.#day.count += 1;
    }
    const left = [Math.max(0, perMinute - this.#minute.count), Math.max(0, perDay - this.#day.count)];
    const laterIsDay = this.#day.end >= this.#minute.end;
    const refusing = isDayFull && (!isMinuteFull || laterIsDay) ? "day" : "minute";
    const isRefused = isMinuteFull || isDayFull;
    const [minuteLeft = 0, dayLeft = 0] = left;
    const tighter = minuteLeft === dayLeft ? (laterIsDay ? "day" : "minute") : minuteLeft < dayLeft ? "minute" : "day";
    expect({
      outcome: decision.outcome,
      shown: decision.shown.name,
      remaining: decision.windows.map(({ remaining }) => remaining),
      resets: decision.windows.map(({ resetAt }) => resetAt),
      limits: decision.windows.map(({ limit }) => limit),
    }).toEqual({
      outcome: isRefused ? (refusing === "day" ? "quota_exceeded" : "rate_limit_exceeded") : "allowed",
      shown: isRefused ? refusing : tighter,
      remaining: left,
      resets: [this.#minute.end, this.#day.end],
      limits: [perMinute, perDay],
    });
  }
}

describe("for any requests and limits,", () => {
  test("each is counted once in both windows, or refused and counted in neither", () => {
    holds(
      fc.property(moment, requests, limits, (start, pauses, its) => {
        const ledger = new Ledger();
        for (const decision of decide(start, pauses, () => its)) ledger.expect(decision, its);
      }),
    );
  });

  test("a plan change keeps the counts", () => {
    const changing = fc.array(fc.tuple(pause, limits), { minLength: 1, maxLength: MOST_REQUESTS, size: "max" });
    holds(
      fc.property(moment, changing, (start, steps) => {
        const limitsAt = (i: number) => steps[i]?.[1] ?? { perMinute: 1, perDay: 1 };
        const ledger = new Ledger();
        const pauses = steps.map(([pause]) => pause);
        decide(start, pauses, limitsAt).forEach((decision, i) => {
          ledger.expect(decision, limitsAt(i));
        });
      }),
    );
  });

  test("no window allows more requests than its limit", () => {
    holds(
      fc.property(moment, requests, limits, (start, pauses, its) => {
        const passed = new Map<string, number>();
        for (const { outcome, windows } of decide(start, pauses, () => its)) {
          if (outcome !== "allowed") continue;
          for (const { name, resetAt, limit } of windows) {
            const window = `${name} until ${resetAt}`;
            passed.set(window, (passed.get(window) ?? 0) + 1);
            expect(passed.get(window)).toBeLessThanOrEqual(limit);
          }
        }
      }),
    );
  });

  test("the X-RateLimit headers show the refusing window, or the one with fewer remaining requests", () => {
    holds(
      fc.property(moment, requests, limits, (start, pauses, its) => {
        for (const { outcome, shown, windows } of decide(start, pauses, () => its)) {
          const others = windows.filter(({ name }) => name !== shown.name);
          if (outcome === "allowed") for (const other of others) expect(binds(shown, other)).toBe(true);
          else expect(shown.remaining).toBe(0);
        }
      }),
    );
  });
});

function binds(shown: WindowQuota, other: WindowQuota): boolean {
  if (shown.remaining !== other.remaining) return shown.remaining < other.remaining;
  return shown.resetAt >= other.resetAt;
}

test("requests evenly spaced at the rate of a limit are never refused, whatever the moment of the first", () => {
  const rates = fc.oneof(fc.constantFrom(limitsOf.free, limitsOf.pro, limitsOf.business), limits);
  const wholeMoment = moment.map(Math.floor);
  holds(
    fc.property(wholeMoment, rates, fc.constantFrom("minute", "day"), (start, { perMinute, perDay }, by) => {
      const own = by === "minute" ? { perMinute, perDay: MAX_LIMIT } : { perMinute: MAX_LIMIT, perDay };
      const [length, limit] = by === "minute" ? [60_000, perMinute] : [86_400_000, perDay];
      let state: LimitState | undefined;
      for (let i = 0; i < Math.min(3 * limit, 3_000); i++) {
        const taken = take(state, { id: "key", limits: own }, start + Math.floor((i * length) / limit));
        state = taken.state;
        expect(taken.decision.outcome).toBe("allowed");
      }
    }),
    60,
  );
});

test("refusals are strikes from 2 s after the first one of their window", () => {
  const impatient = fc.array(fc.double({ min: 0, max: 2_500, noNaN: true }), { maxLength: MOST_REQUESTS, size: "max" });
  holds(
    fc.property(moment, impatient, limits, (start, pauses, its) => {
      let now = start;
      let state: LimitState | undefined;
      let strikes = 0;
      const firstRefusals = new Map<string, number>();
      for (const pause of pauses) {
        now += pause;
        const taken = take(state, { id: "key", limits: its }, now);
        state = taken.state;
        const { outcome, shown } = taken.decision;
        if (outcome === "allowed") continue;
        const window = `${shown.name} until ${shown.resetAt}`;
        const first = firstRefusals.get(window) ?? now;
        firstRefusals.set(window, first);
        if (now - first >= 2_000) strikes += 1;
        expect(state.banState?.strikes.reduce((sum, [, count]) => sum + count, 0) ?? 0).toBe(strikes);
      }
    }),
  );
});

test("a state that is over gives the same decisions as no state", () => {
  const later = fc.integer({ min: 0, max: 200_000_000 });
  holds(
    fc.property(moment, requests, limits, later, requests, (start, pauses, its, wait, more) => {
      let now = start;
      let state: LimitState | undefined;
      for (const pause of pauses) {
        now += pause;
        state = take(state, { id: "key", limits: its }, now).state;
      }
      now += wait;
      if (state === undefined || !isOver(state, now)) return;
      let fresh: LimitState | undefined;
      for (const pause of more) {
        now += pause;
        const kept = take(state, { id: "key", limits: its }, now);
        const begun = take(fresh, { id: "key", limits: its }, now);
        expect(kept.decision).toEqual(begun.decision);
        state = kept.state;
        fresh = begun.state;
      }
    }),
  );
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Decision,
  isOver,
  type LimitState,
  type Limits,
  limitsOf,
  MAX_LIMIT,
  take,
  takeInPlace,
  type WindowQuota,
} from "../../../src/domain/limits/limits.ts";
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

/** When a window that a request at `opened` (Unix ms) opens ends: on a whole second, in Unix seconds. */
function endOf(opened: number, seconds: number): number {
  return new Date(opened).setUTCMilliseconds(0) / 1_000 + seconds;
}

/**
 * All requests of a key. What a decision must be is derived from the whole history each time, as docs/limits.md describes
 * it: nothing is counted along.
 */
class History {
  readonly #requests: { at: number; isAllowed: boolean }[] = [];

  expect(decision: Decision, { perMinute, perDay }: Limits): void {
    const { now } = decision;
    const before = [this.#window("minute", 60, perMinute, now), this.#window("day", 86_400, perDay, now)];
    const full = before.filter(({ left }) => left === 0);
    this.#requests.push({ at: now, isAllowed: full.length === 0 });
    const after = [this.#window("minute", 60, perMinute, now), this.#window("day", 86_400, perDay, now)];
    const refusing = full.toSorted(byEnd).at(-1);
    const shown = refusing ?? after.toSorted(byEnd).toReversed().toSorted(byLeft)[0];
    expect({
      outcome: decision.outcome,
      shown: decision.shown.name,
      remaining: decision.windows.map(({ remaining }) => remaining),
      resets: decision.windows.map(({ resetAt }) => resetAt),
      limits: decision.windows.map(({ limit }) => limit),
    }).toEqual({
      outcome: refusing === undefined ? "allowed" : OUTCOMES[refusing.name],
      shown: shown?.name ?? "minute",
      remaining: after.map(({ left }) => left),
      resets: after.map(({ end }) => end),
      limits: [perMinute, perDay],
    });
  }

  /** The window that covers `now`: the first request opens one, and so does each that comes at its end or later. */
  #window(name: WindowQuota["name"], seconds: number, limit: number, now: number): Span {
    const times = [...this.#requests.map(({ at }) => at), now];
    const opened = times.reduce((last, at) => (at >= endOf(last, seconds) * 1_000 ? at : last));
    const allowed = this.#requests.filter(({ at, isAllowed }) => isAllowed && at >= opened);
    return { name, end: endOf(opened, seconds), left: Math.max(0, limit - allowed.length) };
  }
}

type Span = { name: WindowQuota["name"]; end: number; left: number };
const OUTCOMES = { minute: "rate_limit_exceeded", day: "quota_exceeded" } as const;
const byEnd = (a: Span, b: Span) => a.end - b.end;
const byLeft = (a: Span, b: Span) => a.left - b.left;

describe("for any requests and limits,", () => {
  test("each is counted once in both windows, or refused and counted in neither", () => {
    holds(
      fc.property(moment, requests, limits, (start, pauses, its) => {
        const history = new History();
        for (const decision of decide(start, pauses, () => its)) history.expect(decision, its);
      }),
    );
  });

  test("a plan change keeps the counts", () => {
    const changing = fc.array(fc.tuple(pause, limits), { minLength: 1, maxLength: MOST_REQUESTS, size: "max" });
    holds(
      fc.property(moment, changing, (start, steps) => {
        const limitsAt = (i: number) => steps[i]?.[1] ?? { perMinute: 1, perDay: 1 };
        const history = new History();
        const pauses = steps.map(([pause]) => pause);
        decide(start, pauses, limitsAt).forEach((decision, i) => {
          history.expect(decision, limitsAt(i));
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

test("requests evenly spaced at the rate of a limit are never refused, from any moment on", () => {
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

test("a request that is counted in place gets the decision and leaves the state that take gives", () => {
  holds(
    fc.property(
      moment,
      fc.array(pause, { minLength: 1, maxLength: 40, size: "max" }),
      limits,
      fc.nat(3),
      (start, pauses, limits, cost) => {
        let now = start;
        let state: LimitState | undefined;
        let inPlace: LimitState | undefined;
        for (const pause of pauses) {
          now += pause;
          const taken = take(state, { id: "key", limits }, now, cost);
          const decision = inPlace && takeInPlace(inPlace, limits, now, cost);
          if (decision === undefined) inPlace = take(inPlace, { id: "key", limits }, now, cost).state;
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

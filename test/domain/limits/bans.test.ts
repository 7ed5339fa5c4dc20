import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { addLimitHeaders } from "../../../src/adapters/http/checks.ts";
import {
  type BanState,
  banAt,
  isForgotten,
  isStrike,
  type LimitState,
  pardoned,
  strike,
  take,
} from "../../../src/domain/limits/limits.ts";
import { holds } from "../../support/holds.ts";
import { states } from "../../support/markdown.ts";
import { limits, moment, pause } from "./schedules.ts";

const LADDER = [300, 900, 3_600, 86_400];
const DAY = 86_400;

/** The banState after as many strikes at once as begin a ban, and that ban's end in Unix seconds. */
function ban(before: BanState | undefined, now: number, perMinute = 1): { banState: BanState; until: number } {
  let banState = before;
  for (let strikes = 0; strikes < Math.max(100, perMinute); strikes++) {
    expect(banAt(banState, now)).toBeUndefined();
    banState = strike(banState, perMinute, now);
  }
  const begun = banAt(banState, now);
  if (banState === undefined || begun === undefined) throw new Error("no ban has begun");
  return { banState, until: begun.until };
}

test("only a refusal 2 s or more after the first of its window is a strike", () => {
  holds(
    fc.property(moment, fc.double({ min: 0, max: 1_999.9, noNaN: true }), fc.nat(90_000_000), (first, soon, late) => {
      expect(isStrike(first, first + soon)).toBe(false);
      expect(isStrike(first, first + 2_000 + late)).toBe(true);
    }),
  );
});

test("a ban begins with the 100th strike in ten minutes, or the perMinute-th where that is larger", () => {
  const strikes = fc.array(fc.tuple(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 1, max: 40 })), {
    minLength: 1,
    maxLength: 60,
    size: "max",
  });
  holds(
    fc.property(moment, strikes, fc.integer({ min: 1, max: 250 }), (start, bursts, perMinute) => {
      let banState: BanState | undefined;
      let second = Math.floor(start / 1000);
      const seconds: number[] = [];
      for (const [wait, count] of bursts) {
        second += wait;
        for (let i = 0; i < count; i++) {
          seconds.push(second);
          banState = strike(banState, perMinute, second * 1000);
          const recent = seconds.filter((at) => at > second - 600).length;
          const isDue = recent >= Math.max(100, perMinute);
          expect(banAt(banState, second * 1000) !== undefined).toBe(isDue);
          if (isDue) return;
        }
      }
    }),
    100,
  );
});

test("a strike counts for exactly ten minutes", () => {
  holds(
    fc.property(moment, fc.constantFrom(599, 600), fc.nat(999), (start, age, within) => {
      const second = Math.floor(start / 1000);
      let banState: BanState | undefined;
      for (let i = 0; i < 99; i++) banState = strike(banState, 1, second * 1000 + within);
      const now = (second + age) * 1000 + within;
      expect(banAt(strike(banState, 1, now), now) !== undefined).toBe(age < 600);
    }),
  );
});

describe("the duration of a ban", () => {
  test("increases with every ban that begins within a day of the last one's end, up to a day", () => {
    const waits = fc.array(fc.integer({ min: 0, max: DAY * 1000 - 1 }), { minLength: 4, maxLength: 6 });
    holds(
      fc.property(moment, waits, (start, pauses) => {
        let now = start;
        let banState: BanState | undefined;
        for (const [step, wait] of pauses.entries()) {
          const begun = ban(banState, now);
          expect(begun.until - Math.ceil(now / 1000)).toBe(LADDER[Math.min(step, LADDER.length - 1)] ?? 0);
          banState = begun.banState;
          now = begun.until * 1000 + wait;
        }
      }),
      50,
    );
  });

  test("starts again from the first a day after the last ban's end", () => {
    holds(
      fc.property(moment, fc.nat(DAY * 1000), (start, more) => {
        const first = ban(undefined, start);
        const later = first.until * 1000 + DAY * 1000 + more;
        const second = ban(first.banState, later);
        expect(second.until - Math.ceil(later / 1000)).toBe(LADDER[0] ?? 0);
        expect(isForgotten(first.banState, later)).toBe(true);
        expect(isForgotten(first.banState, first.until * 1000 + DAY * 1000 - 1)).toBe(false);
      }),
      50,
    );
  });
});

test("requests during a ban neither count nor prolong it", () => {
  const during = fc.array(fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), {
    minLength: 1,
    maxLength: 40,
    size: "max",
  });
  holds(
    fc.property(moment, limits, during, (start, its, parts) => {
      const { banState, until } = ban(undefined, start);
      let state: LimitState = { ...take(undefined, { id: "key", limits: its }, start).state, banState };
      for (const part of parts.sort((a, b) => a - b)) {
        const now = start + (until * 1000 - start) * part;
        if (now >= until * 1000) continue;
        const { state: after, decision } = take(state, { id: "key", limits: its }, now);
        expect(decision).toMatchObject({ outcome: "key_banned", shown: { remaining: 0, resetAt: until } });
        expect(after.day).toEqual(state.day);
        expect(after.banState).toEqual(banState);
        state = after;
      }
      expect(take(state, { id: "key", limits: its }, until * 1000).decision.outcome).not.toBe("key_banned");
    }),
  );
});

test("a pardon ends the ban, and clears strikes and the duration of the next ban", () => {
  holds(
    fc.property(moment, fc.nat(299_000), (start, wait) => {
      const { banState } = ban(undefined, start);
      const forgiven = pardoned(banState, start + wait);
      expect(forgiven).toEqual({ strikes: [] });
      expect(ban(forgiven, start + wait).until - Math.ceil((start + wait) / 1000)).toBe(LADDER[0] ?? 0);
    }),
    50,
  );
});

test("a pardon does not affect later strikes and bans", () => {
  holds(
    fc.property(moment, fc.integer({ min: 1, max: 100_000 }), (pardonedAt, wait) => {
      const { banState } = ban(undefined, pardonedAt + wait);
      expect(pardoned(banState, pardonedAt)).toEqual(banState);
    }),
    50,
  );
});

/** Whether the client waits for the end of its pause, or for the very moment from which it may come again. */
const step = fc.record({
  pause,
  isEager: fc.boolean(),
  /** How long an answer is on its way, in ms: as long as that the client goes on. */
  latency: fc.double({ min: 0, max: 1_999, noNaN: true }),
});

test("a client that honours Retry-After never gets a strike, at any times and with any limits", () => {
  states("README.md", "and never banned.");
  const steps = fc.array(step, { minLength: 1, maxLength: 300, size: "max" });
  holds(
    fc.property(moment, steps, limits, (start, schedule, its) => {
      let now = start;
      let state: LimitState | undefined;
      const refusals: { heardAt: number; until: number }[] = [];
      const waitsUntil = () =>
        Math.max(0, ...refusals.filter(({ heardAt }) => heardAt <= now).map(({ until }) => until));
      for (const { pause, isEager, latency } of schedule) {
        now += pause;
        if (isEager) now = Math.max(now, waitsUntil());
        if (now < waitsUntil()) continue;
        const taken = take(state, { id: "key", limits: its }, now);
        state = taken.state;
        expect(state.banState).toBeUndefined();
        if (taken.decision.outcome === "allowed") continue;
        const headers: Record<string, string> = {};
        addLimitHeaders(headers, taken.decision);
        refusals.push({ heardAt: now + latency, until: now + Number(headers["Retry-After"]) * 1000 });
      }
    }),
  );
});

test("a client that waits for Retry-After is not refused by the same window again", () => {
  states("README.md", "a client that waits as long as it is asked to is not refused again,");
  states("docs/limits.md", "A client that waits that long is not refused again by the same window.");
  const schedule = fc.array(pause, { minLength: 1, maxLength: 60, size: "max" });
  holds(
    fc.property(moment, schedule, limits, (start, pauses, its) => {
      let now = start;
      let state: LimitState | undefined;
      for (const pause of pauses) {
        now += pause;
        const { state: after, decision } = take(state, { id: "key", limits: its }, now);
        state = after;
        if (decision.outcome === "allowed") continue;
        const headers: Record<string, string> = {};
        addLimitHeaders(headers, decision);
        now += Number(headers["Retry-After"]) * 1000;
        const next = take(state, { id: "key", limits: its }, now);
        state = next.state;
        if (next.decision.outcome !== "allowed") expect(next.decision.shown.resetAt).not.toBe(decision.shown.resetAt);
      }
    }),
  );
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { addLimitHeaders } from "../../../src/adapters/http/checks.ts";
import { type Decision, type LimitState, type Subject, take } from "../../../src/domain/limits/limits.ts";
import { states } from "../../../test/support/markdown.ts";
import type { Clock } from "../../src/main.ts";
import { LimitTracker, Throttle } from "../../src/throttle.ts";

/** A clock that jumps from one event to the next. */
class Schedule implements Clock {
  #now = 1_800_000_000_123;
  #events: { at: number; wake: () => void }[] = [];
  now = () => this.#now;
  random = () => 0.5;
  sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const event = { at: this.#now + ms, wake: resolve };
      this.#events.push(event);
      signal?.addEventListener("abort", () => {
        this.#events = this.#events.filter((other) => other !== event);
        reject(signal.reason);
      });
    });

  /** Runs until nothing sleeps any more. */
  async run(): Promise<void> {
    for (;;) {
      // Everything that was woken runs before the time advances.
      await new Promise(setImmediate);
      const next = this.#events.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) return;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

type Limits = Subject["limits"];
/** The time to the service and back, in ms, and the way on which the request or its response is lost, if any. */
type Way = { there: number; back: number; cost: number; lost?: "there" | "back" };

/** Makes a call every `between` ms through a throttle, against the service's own limiter. Returns the decisions. */
async function callsOver(ways: Way[], limits: Limits, between: number) {
  const clock = new Schedule();
  const tracker = new LimitTracker();
  const throttle = new Throttle(tracker, clock);
  const subject: Subject = { id: "key", limits };
  let state: LimitState | undefined;
  const outcomes: Decision["outcome"][] = [];
  let unheard = 0;

  const call = async (index: number, { there, back, cost: most, lost }: Way) => {
    const cost = Math.min(most, limits.perMinute, limits.perDay);
    await clock.sleep(index * between);
    await throttle.acquire(Number.POSITIVE_INFINITY, undefined, cost);
    const sent = clock.now();
    await clock.sleep(there);
    let headers: Headers | undefined;
    if (lost !== "there") {
      const taken = take(state, subject, clock.now(), cost);
      state = taken.state;
      outcomes.push(taken.decision.outcome);
      const told: Record<string, string> = {};
      addLimitHeaders(told, taken.decision);
      if (lost !== "back") headers = new Headers(told);
      else if (taken.decision.outcome !== "allowed") unheard += 1;
    }
    await clock.sleep(back);
    if (headers === undefined) tracker.recordLost(clock.now(), cost);
    else tracker.update(headers, sent, clock.now());
    throttle.release(cost);
  };
  const calls = Promise.all(ways.map((way, index) => call(index, way)));
  await clock.run();
  await calls;
  return { outcomes, unheard, strikes: state?.banState?.strikes.length ?? 0 };
}

const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 40 }), perDay: fc.integer({ min: 1, max: 150 }) });
const cost = fc.oneof({ weight: 3, arbitrary: fc.constant(1) }, fc.integer({ min: 1, max: 40 }));
const steady = fc.record({ there: fc.nat(3_000), back: fc.nat(3_000), cost });
const lossy: fc.Arbitrary<Way> = fc.oneof(
  { weight: 4, arbitrary: steady },
  fc.record({
    there: fc.nat(3_000),
    back: fc.nat(3_000),
    cost,
    lost: fc.constantFrom("there" as const, "back" as const),
  }),
);
const single = (ways: fc.Arbitrary<Way>) => ways.map((way) => ({ ...way, cost: 1 }));
const many = { minLength: 1, maxLength: 200, size: "max" } as const;

test("for any limits and any latency, the only client of a key is never refused, and all its calls succeed", async () => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(steady, many), fc.nat(5_000), async (own, ways, between) => {
      const { outcomes } = await callsOver(ways, own, between);
      expect(outcomes).toHaveLength(ways.length);
      expect(new Set(outcomes)).toEqual(new Set(["allowed"]));
    }),
    { numRuns: 200 },
  );
  states(
    "client/README.md",
    "calls wait for the reset in order and are not refused: the client alone never causes a strike.",
  );
});

test.each([
  ["of single pets are lost, it gets strikes only for refusals that never arrived", single(lossy), 0],
  // What remains after a refusal may be enough for a smaller batch, whose loss may lead to another refusal.
  ["of batches are lost, it gets at most a strike for each", lossy, 1],
])("when requests or responses %s", async (_, way, perLoss) => {
  await fc.assert(
    fc.asyncProperty(limits, fc.array(way, many), fc.nat(5_000), async (own, ways, between) => {
      const { outcomes, unheard, strikes } = await callsOver(ways, own, between);
      const losses = ways.filter(({ lost }) => lost !== undefined).length;
      expect(outcomes).toHaveLength(ways.filter(({ lost }) => lost !== "there").length);
      expect(strikes).toBeLessThanOrEqual(unheard + perLoss * losses);
      expect(outcomes).not.toContain("key_banned");
    }),
    { numRuns: 200 },
  );
});

test("a lost request no longer counts after a later response has reported what remains", () => {
  const tracker = new LimitTracker();
  const told = (remaining: number) =>
    new Headers({ "RateLimit-Policy": '"day";q=100;w=86400', RateLimit: `"day";r=${remaining};t=86000` });
  tracker.update(told(2), 1_000, 1_010);
  tracker.recordLost(1_020);
  tracker.recordLost(1_030);
  expect(tracker.nextSendAt(1, 1_040)).toBe(Number.POSITIVE_INFINITY);
  expect(tracker.nextSendAt(0, 1_040)).toBe(1_040);
  tracker.update(told(2), 1_040, 1_050);
  expect(tracker.nextSendAt(1, 1_060)).toBe(1_060);
});

test("a window's end is never taken to be early, nor more than a second late beyond the time that the request took", () => {
  const opened = fc.integer({ min: 1_800_000_000_000, max: 1_800_000_060_000 });
  fc.assert(
    fc.property(opened, fc.nat(59_000), fc.nat(3_000), fc.nat(3_000), (open, later, there, back) => {
      const subject: Subject = { id: "key", limits: { perMinute: 5, perDay: 50 } };
      const { state } = take(undefined, subject, open);
      const { decision } = take(state, subject, open + later);
      const headers: Record<string, string> = {};
      addLimitHeaders(headers, decision);
      const tracker = new LimitTracker();
      tracker.update(new Headers(headers), open + later - there, open + later + back);
      const late = Number(tracker.limits.minute?.resetAt) - decision.shown.resetAt * 1000;
      expect(late).toBeWithin(0, 1_000 + back);
    }),
  );
});

test("a reset in the X-RateLimit headers is a time of the service's clock, however wrong that of the client is", () => {
  const served = Date.UTC(2026, 11, 2);
  const headers = new Headers({
    Date: new Date(served).toUTCString(),
    "X-RateLimit-Limit": "60",
    "X-RateLimit-Remaining": "0",
    "X-RateLimit-Reset": String(served / 1_000 + 40),
  });
  for (const ahead of [-3_600_000, 0, 3_600_000]) {
    const tracker = new LimitTracker();
    tracker.update(headers, served + ahead, served + ahead);
    expect(Number(tracker.limits.minute?.resetAt)).toBe(served + ahead + 40_000);
    expect(tracker.nextSendAt(0, served + ahead)).toBe(served + ahead + 40_000);
  }
});

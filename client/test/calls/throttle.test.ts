import { expect, test } from "bun:test";
import fc from "fast-check";
import { addLimitHeaders } from "../../../src/limits/headers.ts";
import type { Decision, Subject } from "../../../src/limits/limiter.ts";
import { take, type Usage } from "../../../src/limits/usage.ts";
import type { Clock } from "../../src/main.ts";
import { Standing } from "../../src/standing.ts";
import { Throttle } from "../../src/throttle.ts";

/** Time that goes from one event to the next: what sleeps longest ago is woken first. */
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

  /** Lets time pass until nothing sleeps any more. */
  async run(): Promise<void> {
    for (;;) {
      // Whatever was woken does all it can before time goes on.
      await new Promise(setImmediate);
      const next = this.#events.sort((a, b) => a.at - b.at).shift();
      if (next === undefined) return;
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
  }
}

test("whatever the limits and however long requests take, a client alone is never refused, and gets through all", async () => {
  const latencies = fc.array(fc.tuple(fc.nat(3_000), fc.nat(3_000)), { minLength: 1, maxLength: 200 });
  const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 40 }), perDay: fc.integer({ min: 1, max: 150 }) });
  await fc.assert(
    fc.asyncProperty(limits, latencies, fc.nat(5_000), async (own, ways, between) => {
      const clock = new Schedule();
      const standing = new Standing();
      const throttle = new Throttle(standing, clock);
      const subject: Subject = { id: "key", limits: own };
      let usage: Usage | undefined;
      const outcomes: Decision["outcome"][] = [];

      const call = async (index: number, [there, back]: [number, number]) => {
        await clock.sleep(index * between);
        await throttle.enter(Number.POSITIVE_INFINITY);
        const sent = clock.now();
        await clock.sleep(there);
        const taken = take(usage, subject, clock.now());
        usage = taken.usage;
        outcomes.push(taken.decision.outcome);
        await clock.sleep(back);
        const headers: Record<string, string> = {};
        addLimitHeaders(headers, taken.decision);
        standing.note(new Headers(headers), sent, clock.now());
        throttle.leave();
      };
      const calls = Promise.all(ways.map((way, index) => call(index, way)));
      await clock.run();
      await calls;
      expect(outcomes).toHaveLength(ways.length);
      expect(new Set(outcomes)).toEqual(new Set(["allowed"]));
    }),
    { numRuns: 300 },
  );
});

import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { Awaitable } from "../../src/domain/awaitable.ts";
import type { Limiter } from "../../src/domain/limits/limiter.ts";
import { type LimitState, limitStatusOf, type Subject, take } from "../../src/domain/limits/limits.ts";
import type { Clock } from "../../src/domain/time.ts";
import { eventuallyHolds } from "../support/holds.ts";
import { states } from "../support/markdown.ts";

/** A limiter under test, with no counts when it is opened. */
export type OpenedLimiter = {
  limiter: Limiter;
  /** Another node's, where nodes share their counts. */
  other?: Limiter;
  /** Ends it as a clean stop does, and gives the one that a start gives then. */
  restart(): Awaitable<Limiter>;
  close(): Awaitable<void>;
};

const START = Date.UTC(2026, 11, 2, 10) + 250;

const limits = fc.record({ perMinute: fc.integer({ min: 1, max: 5 }), perDay: fc.integer({ min: 1, max: 12 }) });
/** A burst of requests by one key after a pause in ms: long enough a burst, and often enough, to be banned. */
const burst = fc.record(
  {
    pause: fc.oneof(fc.nat(3_000), fc.nat(90_000), fc.nat(100_000_000)),
    id: fc.constantFrom("key_1", "key_2", "key_\u00e9:{}*"),
    limits,
    count: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 90, max: 130 })),
    cost: fc.nat(7),
    isPardoned: fc.boolean(),
    isRestarted: fc.boolean(),
  },
  { requiredKeys: ["pause", "id", "limits", "count"] },
);

/**
 * What every Limiter does, wherever it counts: it decides each request as `take` of limits/limit-state.ts does.
 * @param sequences how many generated sequences of requests it is held to
 */
export function limiterConformance(
  name: string,
  open: (clock: Clock) => Awaitable<OpenedLimiter>,
  sequences = 40,
): void {
  describe(`${name} as a limiter`, () => {
    test("decides like the pure rules, for several keys, through plan changes, bans, pardons and restarts", async () => {
      const bursts = fc.array(burst, { minLength: 1, maxLength: 12, size: "max" });
      await eventuallyHolds(
        fc.asyncProperty(bursts, async (steps) => {
          let now = START;
          const opened = await open(() => now);
          let limiter = opened.limiter;
          const states = new Map<string, LimitState>();
          const pardons = new Map<string, number>();
          try {
            for (const { pause, id, limits: its, count, cost, isPardoned = false, isRestarted = false } of steps) {
              now += pause;
              if (isRestarted) limiter = await opened.restart();
              if (isPardoned) pardons.set(id, now);
              const pardonedAt = pardons.get(id);
              const subject: Subject = { id, limits: its, ...(pardonedAt !== undefined && { pardonedAt }) };
              expect(await limiter.status(subject)).toEqual(limitStatusOf(states.get(id), subject, now));
              for (let i = 0; i < count; i++) {
                const expected = take(states.get(id), subject, now, cost);
                states.set(id, expected.state);
                expect(await limiter.take(subject, cost)).toEqual(expected.decision);
              }
            }
          } finally {
            await opened.close();
          }
        }),
        sequences,
      );
    });

    test("allows exactly as many concurrent requests as remain", async () => {
      const opened = await open(() => START);
      try {
        const subject = { id: "key_1", limits: { perMinute: 20, perDay: 100 } };
        const decisions = await Promise.all(Array.from({ length: 50 }, async () => opened.limiter.take(subject)));
        const passed = decisions.filter(({ outcome }) => outcome === "allowed");
        expect(passed).toHaveLength(20);
        const left = passed.map(({ shown }) => shown.remaining).sort((a, b) => a - b);
        expect(left).toEqual(Array.from({ length: 20 }, (_, i) => i));
      } finally {
        await opened.close();
      }
    });

    test("counts the cost of concurrent requests wholly or not at all, to all nodes together, and never beyond the limit", async () => {
      states(
        "docs/reliability.md",
        "A batch passes as so many single requests would have passed: one that is larger than the burst has to wait for the rest at the plan's rate, and one that is larger than what the node allows until Redis answers again.",
      );
      const costs = fc.array(fc.nat(12), { minLength: 1, maxLength: 40, size: "max" });
      await eventuallyHolds(
        fc.asyncProperty(costs, async (each) => {
          const opened = await open(() => START);
          try {
            const { limiter, other = limiter } = opened;
            const subject = { id: "key_1", limits: { perMinute: 50, perDay: 100 } };
            const decided = await Promise.all(
              each.map(async (cost, i) => {
                const { outcome } = await (i % 2 === 0 ? limiter : other).take(subject, cost);
                return { cost, isAllowed: outcome === "allowed" };
              }),
            );
            const used = decided.reduce((sum, { cost, isAllowed }) => (isAllowed ? sum + cost : sum), 0);
            const { minute, day } = await limiter.status(subject);
            expect([minute.used, day.used]).toEqual([used, used]);
            expect(used).toBeLessThanOrEqual(50);
            // What was refused did not fit when it came, and fits even less now.
            for (const { cost, isAllowed } of decided) {
              if (!isAllowed) expect(used + Math.max(1, cost)).toBeGreaterThan(50);
            }
          } finally {
            await opened.close();
          }
        }),
        sequences / 2,
      );
    });

    test("counts requests to all nodes together, where it is shared at all", async () => {
      const opened = await open(() => START);
      try {
        const { limiter, other } = opened;
        if (other === undefined) return;
        const subject = { id: "key_1", limits: { perMinute: 20, perDay: 100 } };
        const nodes = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? limiter : other));
        const decisions = await Promise.all(nodes.map(async (node) => node.take(subject)));
        expect(decisions.filter(({ outcome }) => outcome === "allowed")).toHaveLength(20);
      } finally {
        await opened.close();
      }
    });

    test("returns the status of a key any number of times, without counting, on every node", async () => {
      const opened = await open(() => START);
      try {
        const subject = { id: "key_1", limits: { perMinute: 20, perDay: 100 } };
        for (let i = 0; i < 3; i++) await opened.limiter.take(subject);
        const nodes = [opened.limiter, opened.other ?? opened.limiter];
        for (const node of [...nodes, ...nodes]) {
          const { minute, day, strikes, ban } = await node.status(subject);
          const resetAt = Math.floor(START / 1000);
          expect(minute).toEqual({ used: 3, limit: 20, remaining: 17, resetAt: resetAt + 60 });
          expect(day).toEqual({ used: 3, limit: 100, remaining: 97, resetAt: resetAt + 86_400 });
          expect({ strikes, ban }).toEqual({ strikes: 0, ban: undefined });
        }
      } finally {
        await opened.close();
      }
    });

    test("keeps windows, strikes and bans over a restart", async () => {
      let now = START;
      const opened = await open(() => now);
      try {
        const subject = { id: "key_1", limits: { perMinute: 1, perDay: 1_000 } };
        for (let i = 0; i < 2; i++) await opened.limiter.take(subject);
        now += 2_000;
        for (let i = 0; i < 99; i++) expect((await opened.limiter.take(subject)).outcome).toBe("rate_limit_exceeded");
        const restarted = await opened.restart();
        const banned = await restarted.take(subject);
        expect(banned).toMatchObject({ outcome: "key_banned", beginsBan: true });
        const again = await opened.restart();
        expect(await again.take(subject)).toEqual({ ...banned, beginsBan: false });
        now = banned.shown.resetAt * 1000;
        expect((await again.take(subject)).outcome).toBe("allowed");
      } finally {
        await opened.close();
      }
    });
  });
}

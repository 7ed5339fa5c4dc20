import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { connectionTo, type RedisConnection } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
import { reconciled, type SeenState } from "../../../src/domain/limits/fallback-counts.ts";
import { type LimitState, type Subject, take } from "../../../src/domain/limits/limits.ts";
import { states } from "../../support/markdown.ts";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis.ts";

const START = Date.UTC(2026, 11, 2, 10) + 250;

if (!hasRedis) console.log("skipped: there is no redis-server on this machine");

let server: RedisServer;
let redis: RedisConnection;
beforeAll(async () => {
  if (!hasRedis) return;
  server = await startRedis();
  redis = connectionTo(server.url);
  await redis.connect();
});
afterAll(async () => {
  redis?.disconnect();
  await server?.remove();
});

/** The moments (Unix ms) after `now` at which something of a key's state changes by itself. */
function momentsOf({ minute, day, banState }: LimitState, now: number): number[] {
  const { strikes = [], ban } = banState ?? {};
  const [oldest] = strikes[0] ?? [0];
  const ends = [minute.resetAt, day.resetAt, oldest + 600, oldest + 601, ban?.until ?? 0, (ban?.until ?? 0) + 86_400];
  const bursts = [minute, day].map(({ refusedAt = 0 }) => refusedAt + 2_000);
  return [...ends.map((second) => second * 1000), ...bursts].filter((moment) => moment > now).sort((a, b) => a - b);
}

const burst = fc.record({
  /** Which of those moments to wait for, and how many ms beside it. */
  moment: fc.nat({ max: 5 }),
  beside: fc.constantFrom(-1_000, -1, 0, 1, 1_000),
  requests: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 40, max: 110 }), fc.constant(101)),
  pause: fc.constantFrom(0, 0, 0, 1, 7),
  cost: fc.constantFrom(1, 1, 0, 2, 3),
});
/** What happens to one key: requests come, its plan changes, an operator lifts a ban. */
const event = fc.oneof(
  { weight: 14, arbitrary: burst },
  {
    weight: 1,
    arbitrary: fc.record({ perMinute: fc.integer({ min: 1, max: 9 }), perDay: fc.integer({ min: 1, max: 60 }) }),
  },
  { weight: 1, arbitrary: fc.constant("pardon" as const) },
);

/** The number of courses of events. PETSTORE_FUZZ, the number of generated requests, has more of them. */
const COURSES = Number(process.env.PETSTORE_FUZZ ?? 4_000) / 100;

let keys = 0;

test.skipIf(!hasRedis)("the script decides as the rules do, for any course of events", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(event, { minLength: 5, maxLength: 30 }), async (events) => {
      keys += 1;
      let now = START;
      let state: LimitState | undefined;
      let subject: Subject = { id: `key_${keys}`, limits: { perMinute: 3, perDay: 20 } };
      const limiter = new RedisLimiter(redis, () => now);
      for (const happening of events) {
        if (happening === "pardon") subject = { ...subject, pardonedAt: now };
        else if ("perMinute" in happening) subject = { ...subject, limits: happening };
        else {
          const moments = state === undefined ? [] : momentsOf(state, now);
          now = Math.max(now, (moments[happening.moment % Math.max(1, moments.length)] ?? now) + happening.beside);
          for (let i = 0; i < happening.requests; i++) {
            const expected = take(state, subject, now, happening.cost);
            state = expected.state;
            expect(await limiter.take(subject, happening.cost)).toEqual(expected.decision);
            now += happening.pause;
          }
          const { strikes = [], ban } = (await limiter.limitStateOf(subject.id))?.banState ?? {};
          expect([strikes, ban]).toEqual([state?.banState?.strikes ?? [], state?.banState?.ban]);
        }
      }
    }),
    { numRuns: COURSES },
  );
});

/** A key whose requests the script must decide as the rules do. */
class ComparedKey {
  now = START;
  state: LimitState | undefined;
  subject: Subject;
  readonly #limiter = new RedisLimiter(redis, () => this.now);

  constructor(id: string, perMinute: number, perDay: number) {
    this.subject = { id, limits: { perMinute, perDay } };
  }

  /** Sends a request now, and returns its outcome. */
  async request(): Promise<string> {
    const { state, decision } = take(this.state, this.subject, this.now);
    this.state = state;
    expect(await this.#limiter.take(this.subject)).toEqual(decision);
    return decision.outcome;
  }

  /** What the script keeps of violations, which must be what the rules keep. */
  async violations() {
    const { strikes = [], ban } = (await this.#limiter.limitStateOf(this.subject.id))?.banState ?? {};
    expect([strikes, ban]).toEqual([this.state?.banState?.strikes ?? [], this.state?.banState?.ban]);
    return { strikes: strikes.reduce((sum, [, count]) => sum + count, 0), ban };
  }
}

test.skipIf(!hasRedis).each([0, 86_399_999, 86_400_000])(
  "the script knows the ladder: again %i ms after a ban's end",
  async (pause) => {
    const key = new ComparedKey(`key_ladder_${pause}`, 1, 1);
    for (let bans = 0; bans < 6; bans++) {
      await key.request();
      await key.request();
      key.now += 2_000;
      for (let strikes = 0; strikes < 100; strikes++) await key.request();
      const until = key.state?.banState?.ban?.until ?? 0;
      expect(until * 1000).toBeGreaterThan(key.now);
      key.now = until * 1000 + pause;
    }
  },
);

test.skipIf(!hasRedis).each([
  [599, "key_banned"],
  [600, "rate_limit_exceeded"],
  [601, "rate_limit_exceeded"],
])("a strike %i seconds after 99 others leads to %s, by the script and the rules", async (seconds, outcome) => {
  const key = new ComparedKey(`key_strikes_${seconds}`, 1, 1_000);
  const refuse = async () => [await key.request(), await key.request()];
  expect(await refuse()).toEqual(["allowed", "rate_limit_exceeded"]);
  key.now += 2_000;
  for (let strikes = 0; strikes < 99; strikes++) expect(await key.request()).toBe("rate_limit_exceeded");
  key.now += seconds * 1_000 - 2_000;
  expect(await refuse()).toEqual(["allowed", "rate_limit_exceeded"]);
  key.now += 2_000;
  expect(await key.request()).toBe(outcome);
});

test.skipIf(!hasRedis).each([
  [-1, 3],
  [0, 1],
  [1, 1],
])(
  "after a pardon %i ms from the second of two strikes, the next one makes %i, by the script and the rules",
  async (beside, total) => {
    const key = new ComparedKey(`key_pardoned_strikes_${beside}`, 1, 1_000);
    for (let i = 0; i < 2; i++) await key.request();
    key.now += 2_750;
    for (let i = 0; i < 2; i++) await key.request();
    expect((await key.violations()).strikes).toBe(2);
    key.subject = { ...key.subject, pardonedAt: key.now + beside };
    await key.request();
    expect((await key.violations()).strikes).toBe(total);
  },
);

test.skipIf(!hasRedis).each([
  [-1, "key_banned"],
  [0, "rate_limit_exceeded"],
  [1, "rate_limit_exceeded"],
])(
  "a request after a pardon %i ms from the begin of a ban is %s, by the script and the rules",
  async (beside, outcome) => {
    const key = new ComparedKey(`key_pardoned_ban_${beside}`, 1, 1_000);
    for (let i = 0; i < 2; i++) await key.request();
    key.now += 2_000;
    for (let i = 0; i < 100; i++) await key.request();
    expect((await key.violations()).ban?.since).toBe(key.now);
    key.subject = { ...key.subject, pardonedAt: key.now + beside };
    expect(await key.request()).toBe(outcome);
    expect((await key.violations()).ban === undefined).toBe(outcome !== "key_banned");
  },
);

const ends = fc.constantFrom(-60, -1, 0, 1, 30, 59, 60, 64, 65, 66);
const dayEnds = fc.constantFrom(-1, 0, 1, 40_000, 86_399, 86_400, 86_405, 86_406);
/** Windows and a ban that a process knows, with ends in seconds from now. */
const known = fc.record({
  minute: fc.record({ count: fc.integer({ min: -2, max: 5 }), end: ends }),
  day: fc.record({ count: fc.integer({ min: -2, max: 25 }), end: dayEnds }),
  ban: fc.option(
    fc.record({ since: fc.integer({ min: -5_000, max: 0 }), until: fc.constantFrom(-1, 0, 1, 300), step: fc.nat(3) }),
    {
      nil: undefined,
    },
  ),
});
const knowledge = fc.record({
  pause: fc.constantFrom(0, 500, 20_000, 59_000, 86_340_000),
  requests: fc.nat(4),
  seen: fc.option(known, { nil: undefined }),
  handover: fc.option(known, { nil: undefined }),
  isPardoned: fc.boolean(),
});

/** Only what is handed over has negative counts. */
function withoutNegatives({ minute, day, ...ban }: SeenState): SeenState {
  const from0 = (window: SeenState["minute"]) => ({ ...window, count: Math.max(0, window.count) });
  return { minute: from0(minute), day: from0(day), ...ban };
}

function seenStateOf(
  { minute, day, ban }: typeof known extends fc.Arbitrary<infer T> ? T : never,
  now: number,
): SeenState {
  const second = Math.floor(now / 1000);
  return {
    minute: { count: minute.count, resetAt: second + minute.end },
    day: { count: day.count, resetAt: second + day.end },
    ...(ban && { ban: { since: now + ban.since, until: second + ban.until, step: ban.step } }),
  };
}

test.skipIf(!hasRedis)(
  "the script learns as the rules do what a process has seen, and once what it hands over",
  async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(knowledge, { minLength: 1, maxLength: 8 }), async (events) => {
        keys += 1;
        let now = START;
        let state: LimitState | undefined;
        let number = 0;
        const subject: Subject = { id: `key_${keys}`, limits: { perMinute: 6, perDay: 40 } };
        const limiter = new RedisLimiter(redis, () => now);
        for (const { pause, requests, isPardoned, ...known } of events) {
          now += pause;
          const pardoned = { ...subject, ...(isPardoned && { pardonedAt: now - 2_000 }) };
          const seen = known.seen && withoutNegatives(seenStateOf(known.seen, now));
          if (known.handover !== undefined) {
            number += 1;
            const handover = { process: "a-process", number, ...seenStateOf(known.handover, now) };
            state = reconciled(state, { subject: pardoned, seen, handover }, now);
            const decision = await limiter.reconcile({ subject: pardoned, seen, handover });
            const repeated = { subject: pardoned, seen, handover };
            expect(await limiter.reconcile(repeated)).toEqual(decision);
          }
          for (let i = 0; i < requests; i++) {
            const expected = take(reconciled(state, { subject: pardoned, seen }, now), pardoned, now);
            state = expected.state;
            expect(await limiter.take(pardoned, 1, seen)).toEqual(expected.decision);
          }
        }
      }),
      { numRuns: 10 * COURSES },
    );
  },
);

test.skipIf(!hasRedis)("Redis remembers each process's last handover until its windows have ended", async () => {
  let now = START;
  const limiter = new RedisLimiter(redis, () => now);
  const subject: Subject = { id: "key_handovers", limits: { perMinute: 60, perDay: 1_000 } };
  const handOver = (process: string, number: number) => {
    const second = Math.floor(now / 1000);
    const handover = {
      process,
      number,
      minute: { count: 1, resetAt: second + 60 },
      day: { count: 1, resetAt: second + 86_400 },
    };
    return limiter.reconcile({ subject, seen: undefined, handover });
  };
  await handOver("a", 2);
  await handOver("b", 1);
  for (const number of [2, 1]) await handOver("a", number);
  expect((await limiter.limitStateOf("key_handovers"))?.minute.count).toBe(2);
  now += 86_461_000;
  await handOver("c", 1);
  const fields = await redis.hkeys("petstore:{key_handovers}");
  expect(fields.filter((name) => name.startsWith("h:"))).toEqual(["h:c"]);
});

test.skipIf(!hasRedis)("a request that Redis receives a second late is not counted", async () => {
  states("docs/development/stores.md", "and the script refuses what reaches it a second late.");
  const limiter = new RedisLimiter(redis);
  const subject: Subject = { id: "key_late", limits: { perMinute: 60, perDay: 1_000 } };
  await limiter.take(subject);
  server.freeze();
  const late = expect(limiter.take(subject)).rejects.toThrow("timed out");
  await new Promise((resolve) => setTimeout(resolve, 1_200));
  server.thaw();
  await late;
  expect(await limiter.take(subject)).toMatchObject({ shown: { remaining: 58 } });
});

test.skipIf(!hasRedis)("what is restored is no request, and so no refused one", async () => {
  const limiter = new RedisLimiter(redis, () => START);
  const second = Math.floor(START / 1000);
  const seen = { minute: { count: 60, resetAt: second + 30 }, day: { count: 70, resetAt: second + 40_000 } };
  for (let i = 0; i < 3; i++) await limiter.restore("key_restored", seen);
  expect(await limiter.limitStateOf("key_restored")).toEqual({ ...seen, banState: { strikes: [] } });
});

test.skipIf(!hasRedis)("a connection that is closed is no answer of Redis", async () => {
  const closed = connectionTo(server.url);
  const limiter = new RedisLimiter(closed);
  await closed.connect();
  limiter.close();
  const error = await limiter.probe().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(Error);
  expect(limiter.isReply(error)).toBe(false);
});

test.skipIf(!hasRedis)("the script uses the clock of Redis", async () => {
  states(
    "docs/development/stores.md",
    "On Redis a Lua script decides the same by Redis's clock; a test compares both around every boundary.",
  );
  states("docs/running.md", "Time is Redis's for limits");
  const before = Date.now();
  const { now, shown } = await new RedisLimiter(redis).take({ id: "key_clock", limits: { perMinute: 3, perDay: 20 } });
  expect(now).toBeGreaterThanOrEqual(before);
  expect(now).toBeLessThanOrEqual(Date.now());
  expect(shown.resetAt).toBe(Math.floor(now / 1000) + 60);
});

test.skipIf(!hasRedis)("state that has no effect any more expires in Redis", async () => {
  await new RedisLimiter(redis).take({ id: "key_gone", limits: { perMinute: 3, perDay: 20 } });
  const left = await redis.ttl("petstore:{key_gone}");
  expect(left).toBeGreaterThan(86_400);
  expect(left).toBeLessThanOrEqual(86_400 + 601);
});

test.skipIf(!hasRedis)("a refusal is forgotten with its day, although nothing else was kept", async () => {
  let now = START;
  const limiter = new RedisLimiter(redis, () => now);
  const subject: Subject = { id: "key_day", limits: { perMinute: 5, perDay: 1 } };
  await limiter.take(subject);
  const { outcome, windows } = await limiter.take(subject);
  expect(outcome).toBe("quota_exceeded");
  expect((await limiter.limitStateOf(subject.id))?.day.refusedAt).toBe(now);
  now = (windows[1]?.resetAt ?? 0) * 1000;
  await limiter.take(subject);
  expect((await limiter.limitStateOf(subject.id))?.day).toEqual({ count: 1, resetAt: now / 1000 + 86_400 });
});

test.skipIf(!hasRedis)("the clock of Redis is read to the millisecond", async () => {
  const before = Date.now();
  const now = await new RedisLimiter(redis).now();
  expect(now).toBeWithin(before, Date.now() + 1);
});

import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { setTimeout as pause } from "node:timers/promises";
import { FallbackLimiter } from "../../../src/adapters/memory/fallback-limiter.ts";
import { connectionTo, type RedisConnection } from "../../../src/adapters/redis/connect.ts";
import { RedisLimiter } from "../../../src/adapters/redis/limiter.ts";
import { FallbackCounts, type SeenState } from "../../../src/domain/limits/fallback-counts.ts";
import { Detour } from "../../support/detour.ts";
import { besideLoad, eventually } from "../../support/eventually.ts";
import { states } from "../../support/markdown.ts";
import { hasRedis, type RedisServer, startRedis } from "../../support/redis.ts";

const NODES = 4;
/** How long Redis may be silent, in ms. */
const PATIENCE = 250;
/** How often a failed limiter is probed, in ms. */
const PROBE_INTERVAL = 250;
/** How long the connection waits for a reply, in ms. */
const COMMAND_TIMEOUT = 1_000;
const subject = { id: "key_1", limits: { perMinute: 1_000, perDay: 100_000 } };

let server: RedisServer;
let detour: Detour;
let redis: RedisConnection;
let limiter: FallbackLimiter;
let failures: unknown[];
let keyFailures: string[];
let returns: number[];
let probes: number;
let restores: number;
/** How many restores of other keys than the subject fail next, as if Redis was cut off. */
let failing: number;
/** How far the clock of the limiter is ahead, in ms. */
let ahead: number;
let back: Promise<void>;

class CallCounter extends RedisLimiter {
  override probe(keyId?: string): Promise<void> {
    probes += 1;
    return super.probe(keyId);
  }

  override restore(keyId: string, seen: SeenState): Promise<void> {
    restores += 1;
    if (keyId !== subject.id && failing-- > 0) return Promise.reject(new Error("cut off"));
    return super.restore(keyId, seen);
  }
}

async function setUp(isDirect: boolean): Promise<void> {
  server = await startRedis();
  detour = await Detour.to(server.port);
  redis = connectionTo(isDirect ? server.url : `redis://127.0.0.1:${detour.port}`);
  redis.on("error", () => {});
  await redis.connect();
  failures = [];
  returns = [];
  [probes, restores, failing, ahead] = [0, 0, 0, 0];
  const { promise, resolve } = Promise.withResolvers<void>();
  back = promise;
  keyFailures = [];
  limiter = new FallbackLimiter({
    shared: new CallCounter(redis),
    counts: new FallbackCounts({ process: "a-process", nodes: NODES }),
    clock: () => Date.now() + ahead,
    patience: PATIENCE,
    onFailure: (error) => failures.push(error),
    onKeyFailure: (_, keyId) => keyFailures.push(keyId),
    onReturn: (requests) => {
      returns.push(requests);
      resolve();
    },
  });
}
afterEach(async () => {
  limiter?.close();
  redis?.disconnect();
  detour?.close();
  await server?.remove();
});

/** How many ms one decision takes. */
async function timed(): Promise<number> {
  const started = performance.now();
  await limiter.take(subject);
  return performance.now() - started;
}

const faults: [name: string, begin: () => unknown, end: () => unknown][] = [
  ["is killed", () => server.kill(), () => server.start()],
  ["stands still", () => server.freeze(), () => server.thaw()],
  [
    "takes a second for a call",
    () => {
      detour.delay = 500;
    },
    () => {
      detour.delay = 0;
    },
  ],
];

describe.skipIf(!hasRedis).each(faults)("when Redis %s", (_name, begin, end) => {
  test("this node counts on alone, without delays; and returns with its counts when Redis answers again", async () => {
    states(
      "docs/upgrading.md",
      "`Redis fails` in the log | Redis is down, slow, cut off, full or read-only: `err` has the reason. | Repair it; the nodes return by themselves, with what they counted alone.",
    );
    states(
      "docs/monitoring.md",
      "`Redis fails: this node counts limits alone` | error | Redis is away, slow, full or read-only:",
      "`Redis works again` follows, with the number of requests that were decided alone.",
    );
    states(
      "docs/running.md",
      "with the number of requests that it decided alone.",
      "each node counts on alone from what it last saw, and hands that over when Redis works again.",
    );
    await setUp(false);
    expect(await limiter.take(subject)).toMatchObject({ shown: { limit: 1_000, remaining: 999 } });
    await begin();
    expect(await timed()).toBeLessThan(PATIENCE + besideLoad(200));
    expect(await timed()).toBeLessThan(besideLoad(20));
    const alone = await limiter.take(subject);
    expect(alone).toMatchObject({ outcome: "allowed", shown: { limit: 1_000, remaining: 996 } });
    expect(await limiter.status(subject)).toMatchObject({ minute: { limit: 1_000, used: 4, remaining: 996 } });
    expect(failures).toHaveLength(1);
    expect(limiter.fallbacks).toEqual({ total: 1, isActive: true, requests: 3 });

    await end();
    const ended = performance.now();
    await back;
    expect(performance.now() - ended).toBeLessThan(besideLoad(2_000));
    expect(returns).toEqual([3]);
    expect(keyFailures).toEqual([]);
    expect(limiter.fallbacks).toEqual({ total: 1, isActive: false, requests: 3 });
    // A Redis that was killed has forgotten all, and has it from this node.
    expect(await limiter.take(subject)).toMatchObject({ shown: { limit: 1_000, remaining: 995 } });
    expect(await limiter.status(subject)).toMatchObject({ minute: { limit: 1_000, used: 5 } });
    expect(await new RedisLimiter(redis).status(subject)).toMatchObject({ minute: { used: 5 }, day: { used: 5 } });
    // It is back, so it looks no more.
    const probed = probes;
    await pause(2 * PROBE_INTERVAL);
    expect(probes).toBe(probed);
  });
});

test.skipIf(!hasRedis)("a Redis that stands still after a time without requests is noticed as soon", async () => {
  await setUp(true);
  for (let times = 1; times <= 2; times++) {
    await limiter.take(subject);
    // Nobody waits for Redis meanwhile.
    await pause(PATIENCE);
    await server.freeze();
    expect(await limiter.take(subject)).toMatchObject({ outcome: "allowed" });
    // Otherwise the request fails when the connection has waited in vain, which takes four times as long.
    expect(failures.map(String)).toEqual(Array(times).fill(`Error: no answer for ${PATIENCE} ms`));
    await server.thaw();
    await eventually(() => returns.length === times);
  }
});

test.skipIf(!hasRedis)("answers that are late do not bring a node back", async () => {
  await setUp(false);
  detour.delay = 200;
  await limiter.take(subject);
  await eventually(() => probes >= 3);
  expect(failures).toHaveLength(1);
  expect(returns).toEqual([]);
  detour.delay = 0;
  await back;
});

test.skipIf(!hasRedis)(
  "a request that was counted here is not counted again when its call to Redis fails at last",
  async () => {
    await setUp(true);
    await server.freeze();
    await limiter.take(subject);
    await pause(COMMAND_TIMEOUT + 200);
    expect(await limiter.status(subject)).toMatchObject({ minute: { limit: 1_000, used: 1 } });
    await server.thaw();
    await back;
    expect(returns).toEqual([1]);
  },
);

/** How many of so many concurrent requests are allowed. */
async function allowedOf(count: number, cost = 1): Promise<number> {
  const decisions = await Promise.all(Array.from({ length: count }, () => limiter.take(subject, cost)));
  return decisions.filter(({ outcome }) => outcome === "allowed").length;
}

test.skipIf(!hasRedis)("a node alone is never unlimited", async () => {
  await setUp(true);
  await limiter.take(subject);
  await server.kill();
  const began = performance.now();
  const allowed = await allowedOf(300);
  // A tenth of the minute at once, and its rate from then on.
  const most = 100 + (performance.now() - began) / (60_000 / subject.limits.perMinute);
  expect(allowed).toBeWithin(100, Math.floor(most) + 1);
});

test.skipIf(!hasRedis).each([0, 50, 100, 200])(
  "no node counts alone because Redis pauses for %i ms",
  async (length) => {
    states("docs/reliability.md", "A pause of less than 0.25 seconds is no matter: requests wait.");
    await setUp(true);
    await allowedOf(990);
    server.freeze();
    const answers = allowedOf(100);
    await pause(length);
    server.thaw();
    expect(await answers).toBe(10);
    expect(failures).toEqual([]);
  },
);

test.skipIf(!hasRedis).each([300, 900, 2_000])(
  "a key that used its limit gets nothing from a pause of %i ms, and one that did not gets no more than its limit",
  async (length) => {
    await setUp(true);
    expect(await allowedOf(1_000)).toBe(1_000);
    const other = { ...subject, id: "key_2" };
    let allowed = 0;
    const takeOther = async () => {
      if ((await limiter.take(other)).outcome === "allowed") allowed += 1;
    };
    await Promise.all(Array.from({ length: 900 }, takeOther));
    server.freeze();
    const until = performance.now() + length;
    while (performance.now() < until) {
      expect(await allowedOf(1)).toBe(0);
      await Promise.all(Array.from({ length: 5 }, takeOther));
      await pause(10);
    }
    expect(failures).toHaveLength(1);
    server.thaw();
    await back;
    expect(await allowedOf(10)).toBe(0);
    await Promise.all(Array.from({ length: 300 }, takeOther));
    expect(allowed).toBe(1_000);
  },
);

test.skipIf(!hasRedis).each([1, 5])(
  "a cost of %i that Redis counts late, and this node too, is counted once",
  async (cost) => {
    await setUp(true);
    await limiter.take(subject);
    server.freeze();
    // A burst of a tenth of the limit is allowed; Redis will have counted all of them.
    expect(await allowedOf(120 / cost, cost)).toBe(100 / cost);
    server.thaw();
    await back;
    expect(await new RedisLimiter(redis).status(subject)).toMatchObject({ minute: { used: 101 }, day: { used: 101 } });
  },
);

test.skipIf(!hasRedis)("a ban lasts while Redis is away, and when it comes back without its data", async () => {
  await setUp(true);
  const free = { id: "key_3", limits: { perMinute: 1, perDay: 10 } };
  for (let i = 0; i < 2; i++) await limiter.take(free);
  await pause(2_000);
  for (let i = 0; i < 100; i++) await limiter.take(free);
  const { ban } = await limiter.status(free);
  const isBanned = { outcome: "key_banned", shown: { resetAt: ban?.until } };
  await server.kill();
  expect(await limiter.take(free)).toMatchObject(isBanned);
  await server.start();
  await back;
  expect(await limiter.take(free)).toMatchObject(isBanned);
});

const losses: [name: string, lose: () => unknown][] = [
  ["is emptied, and a request shows it", () => server.call("FLUSHALL").then(() => limiter.take(subject))],
  ["is emptied, and there are no requests", () => server.call("FLUSHALL")],
  ["is restarted without its data", () => server.kill().then(() => server.start())],
];

test.skipIf(!hasRedis).each(losses)("when Redis %s, it soon has what this node saw of all keys", async (_, lose) => {
  states(
    "docs/reliability.md",
    "Redis loses its data (`FLUSHALL`, a restart without persistence, a failover) | What is used up stays used up, on every node that saw it; within a second, on all.",
    "each node checks every second whether Redis still has the key of its last request. If not, it restores all that it has seen",
  );
  await setUp(true);
  const keys = Array.from({ length: 50 }, (_, i) => ({ ...subject, id: `key_${i}` }));
  for (const key of [...keys, ...keys]) await limiter.take(key);
  await lose();
  const other = connectionTo(server.url);
  const elsewhere = new RedisLimiter(other);
  await other.connect();
  await eventually(async () => {
    const states = await Promise.all(keys.map((key) => elsewhere.status(key)));
    return states.every(({ minute, day }) => minute.used >= 2 && day.used >= 2);
  });
  other.disconnect();
});

test.skipIf(!hasRedis)("what could not be restored is restored soon after, without a request", async () => {
  await setUp(true);
  const keys = Array.from({ length: 5 }, (_, i) => ({ ...subject, id: `other_${i}` }));
  for (const key of [...keys, subject]) await limiter.take(key);
  const elsewhere = new RedisLimiter(redis);
  const used = async () =>
    (await Promise.all(keys.map((key) => elsewhere.status(key)))).map(({ minute }) => minute.used);
  // One of them, and all: then nothing but the time shows that there is something to restore.
  for (const most of [1, keys.length]) {
    ahead += 10_000;
    failing = most;
    await server.call("FLUSHALL");
    const lost = performance.now();
    await eventually(async () => (await used()).every((count) => count === 1));
    expect(failing).toBeLessThan(1);
    // Other losses are restored every ten seconds at most.
    expect(performance.now() - lost).toBeLessThan(besideLoad(5_000));
  }
  await server.call("FLUSHALL");
  await eventually(async () => (await elsewhere.status(subject)).minute.used === 1);
  expect(await used()).toEqual(keys.map(() => 0));
  ahead += 10_000;
  await eventually(async () => (await used()).every((count) => count === 1));
});

test.skipIf(!hasRedis)("a Redis that forgets everything has it again from the next request", async () => {
  states("docs/development/stores.md", "a Redis that lost its data opens no window again.");
  states(
    "docs/reliability.md",
    "A Redis that lost its data gets it back: each request carries what its node last saw of the key, so that Redis never knows less",
  );
  await setUp(true);
  expect(await allowedOf(700)).toBe(700);
  await server.call("FLUSHALL");
  expect(await allowedOf(700)).toBe(300);
  expect(failures).toEqual([]);
});

test.skipIf(!hasRedis)("a burst of requests is not a failure: exactly the limit is allowed", async () => {
  await setUp(true);
  const decisions = await Promise.all(Array.from({ length: 5_000 }, () => limiter.take(subject)));
  expect(failures).toEqual([]);
  expect(decisions.filter(({ outcome }) => outcome === "allowed")).toHaveLength(1_000);
});

test.skipIf(!hasRedis)("a busy process does not take its own delay for a failure", async () => {
  states("docs/reliability.md", "it counts silence in ticks of its own timer, which are late then as well.");
  states(
    "docs/development/stores.md",
    "counts as failed after 250 ms of silence while a request waits, counted in ticks of a timer so that a busy node does not blame Redis.",
  );
  states("docs/reliability.md", "a node waits longer before it considers Redis failed");
  await setUp(true);
  const decision = limiter.take(subject);
  const started = performance.now();
  while (performance.now() - started < 200);
  expect(await decision).toMatchObject({ shown: { limit: 1_000, remaining: 999 } });
  expect(failures).toEqual([]);
});

describe.skipIf(!hasRedis)("when Redis answers, but", () => {
  const refusals: [name: string, begin: () => unknown, end: () => unknown, reason: RegExp][] = [
    [
      "is full",
      () => server.call("CONFIG", "SET", "maxmemory", "1"),
      () => server.call("CONFIG", "SET", "maxmemory", "0"),
      /OOM/,
    ],
    [
      "is read-only",
      () => server.call("REPLICAOF", "127.0.0.1", "1"),
      () => server.call("REPLICAOF", "NO", "ONE"),
      /READONLY|Connection is closed/,
    ],
  ];

  test.each(refusals)(
    "%s, this node counts alone until it can count, and reports it once",
    async (_, begin, end, reason) => {
      states("docs/reliability.md", "Redis is full (`noeviction`) or read-only | the same; the log has the reason.");
      await setUp(true);
      await limiter.take(subject);
      await begin();
      const until = performance.now() + 1_500;
      let allowed = 0;
      while (performance.now() < until) {
        const { outcome } = await limiter.take(subject);
        if (outcome === "allowed") allowed += 1;
        await new Promise((resolve) => setTimeout(resolve, 1));
      }
      expect(failures).toHaveLength(1);
      expect(String(failures[0])).toMatch(reason);
      expect(returns).toEqual([]);
      // A tenth of the limit, and the plan's rate for 1.5 seconds.
      expect(allowed).toBeWithin(100, 100 + 26);
      expect(keyFailures).toEqual([]);

      await end();
      const ended = performance.now();
      await back;
      expect(performance.now() - ended).toBeLessThan(besideLoad(2_000));
      expect(await limiter.take({ ...subject, id: "key_2" })).toMatchObject({ shown: { limit: 1_000 } });
    },
  );

  const damages: [name: string, command: [string, ...string[]]][] = [
    ["another type", ["SET", "petstore:{key_1}", "text"]],
    ["damaged fields", ["HSET", "petstore:{key_1}", "mr", "x", "mc", "y"]],
  ];

  test.each(damages)(
    "one key has %s, that key alone is counted here, and it is reported once each time",
    async (_, command) => {
      states(
        "docs/monitoring.md",
        "`Redis fails for one key: this node counts its limits alone` | error | The data of this key in Redis is damaged: something else has written it.",
      );
      states(
        "docs/reliability.md",
        "The data of one key in Redis is damaged | Each node counts this key alone, and reports it once. All others stay exact.",
      );
      await setUp(true);
      await server.call("DEL", "petstore:{key_1}");
      await server.call(...command);
      const decisions = [];
      for (let i = 0; i < 300; i++) decisions.push(await limiter.take(subject));
      const { minute } = await limiter.status(subject);
      expect(minute.used).toBeWithin(100, 130);
      // One more is allowed every 60 ms: it may be the last one.
      expect(decisions.findLast(({ outcome }) => outcome !== "allowed")).toMatchObject({
        outcome: "rate_limit_exceeded",
        shown: { limit: 1_000 },
        retryAfter: 1,
      });
      const other = await limiter.take({ ...subject, id: "key_2" });
      expect(other).toMatchObject({ outcome: "allowed", shown: { limit: 1_000 } });
      expect([failures, keyFailures]).toEqual([[], ["key_1"]]);

      await server.call("DEL", "petstore:{key_1}");
      expect(await limiter.take(subject)).toMatchObject({
        outcome: "allowed",
        shown: { limit: 1_000, remaining: minute.remaining - 1 },
      });
      await server.call("DEL", "petstore:{key_1}");
      await server.call(...command);
      await limiter.take(subject);
      await eventually(() => keyFailures.length === 2);
    },
  );
});

describe.skipIf(!hasRedis)("a key whose data is damaged", () => {
  const damaged = { ...subject, id: "key_damaged" };
  const key = "petstore:{key_damaged}";
  beforeEach(async () => {
    await setUp(true);
    await limiter.take(damaged);
    await server.call("SET", key, "text");
  });

  test("is divided among the nodes after ten seconds", async () => {
    let allowed = 0;
    for (let i = 0; i < 400; i++) {
      if (i % 100 === 0) ahead += 11_000;
      if ((await limiter.take(damaged)).outcome === "allowed") allowed += 1;
    }
    // A tenth of the limit at first; then a quarter of what the node saw remaining after those.
    expect(allowed).toBe(100 + Math.floor((1_000 - 101) / 4));
  });

  test("is handed over once it can be, also without a request", async () => {
    for (let i = 0; i < 3; i++) await limiter.take(damaged);
    await server.call("DEL", key);
    limiter.sweep();
    await eventually(async () => (await new RedisLimiter(redis).status(damaged)).minute.used === 4);
  });

  test("does not keep a node alone after a pause, nor does it count as one", async () => {
    for (let i = 0; i < 5; i++) await limiter.take(damaged);
    for (let pauses = 1; pauses <= 2; pauses++) {
      await limiter.take(subject);
      server.freeze();
      await Promise.all([limiter.take(subject), limiter.take(subject), limiter.take(damaged)]);
      server.thaw();
      await eventually(() => returns.length === pauses);
    }
    expect(returns).toEqual([3, 3]);
    expect(keyFailures).toEqual(["key_damaged"]);
    expect((await limiter.status(subject)).minute.used).toBe(6);
  });

  test("does not keep others from being restored", async () => {
    const keys = Array.from({ length: 50 }, (_, i) => ({ ...subject, id: `key_${i}` }));
    for (const each of keys) await limiter.take(each);
    await server.call("EVAL", `redis.call("FLUSHALL") redis.call("SET", "${key}", "text")`, "0");
    const elsewhere = new RedisLimiter(redis);
    await eventually(async () => {
      const states = await Promise.all(keys.map((each) => elsewhere.status(each)));
      return states.every(({ minute }) => minute.used === 1);
    });
  });
});

test.skipIf(!hasRedis)("answers that overlap and are slow are no failure", async () => {
  await setUp(false);
  detour.delay = 75;
  const answers: unknown[] = [];
  for (let i = 0; i < 20; i++) {
    answers.push(limiter.take(subject));
    await pause(50);
  }
  await Promise.all(answers);
  expect(failures).toEqual([]);
});

test.skipIf(!hasRedis)("a closed limiter asks Redis nothing more", async () => {
  await setUp(true);
  await limiter.take(subject);
  await eventually(() => restores > 0);
  await server.freeze();
  await limiter.take(subject);
  await eventually(() => probes > 0);
  limiter.close();
  const asked = [probes, restores];
  await pause(1_200);
  expect([probes, restores]).toEqual(asked);
});

test.skipIf(!hasRedis)("a connection to a former primary is replaced", async () => {
  states("docs/reliability.md", "A read-only server's connections are replaced");
  await setUp(false);
  const other = await startRedis();
  const connections = () => detour.connections;
  expect(connections()).toBe(1);
  await redis.replicaof("127.0.0.1", other.port);
  await limiter.take(subject);
  while (connections() === 1) await new Promise((resolve) => setTimeout(resolve, 20));
  await other.remove();
});

import { expect, test } from "bun:test";
import fc from "fast-check";
import { MemoryLimiter, MemoryMinuteLimiter } from "../../../src/adapters/memory/limiter.ts";
import { SqliteCounters } from "../../../src/adapters/sqlite/counters.ts";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { noActivity } from "../../../src/domain/keys/store.ts";
import type { Clock } from "../../../src/domain/time.ts";
import { limiterConformance, type OpenedLimiter } from "../../conformance/limiter.ts";
import { limits, moment, pause } from "../../domain/limits/schedules.ts";
import { idsOf } from "../../support/changed-states.ts";
import { holds } from "../../support/holds.ts";
import { temporaryFile } from "../sqlite/temporary.ts";

/** Counting in memory, kept in a SQLite file while it does not run: what a single node does. */
function open(clock: Clock): OpenedLimiter {
  const file = temporaryFile();
  let limiter = new MemoryLimiter(clock);
  return {
    limiter,
    async restart() {
      limiter.sweep();
      const database = new Database(file);
      const counters = new SqliteCounters(database);
      await counters.save(limiter.drain(), noActivity());
      limiter = new MemoryLimiter(clock, await counters.load());
      database.close();
      return limiter;
    },
    close: () => file.remove(),
  };
}

limiterConformance("Memory", open);

const subject = { id: "key_1", limits: { perMinute: 5, perDay: 50 } };

test("takeAtOnce decides as take where it allows the request, with or without open windows, and counts nothing otherwise", () => {
  holds(
    fc.property(fc.array(pause, { minLength: 1, maxLength: 40, size: "max" }), limits, (pauses, limits) => {
      let now = 0;
      const [atOnce, usual] = [new MemoryLimiter(() => now), new MemoryLimiter(() => now)];
      for (const pause of pauses) {
        now += pause;
        const before = structuredClone(atOnce.stateOf("key_1"));
        const decision = atOnce.takeAtOnce({ id: "key_1", limits });
        const expected = usual.take({ id: "key_1", limits });
        expect(decision).toEqual(expected.outcome === "allowed" ? expected : undefined);
        if (decision === undefined) {
          expect(atOnce.stateOf("key_1")).toEqual(before);
          expect(atOnce.take({ id: "key_1", limits })).toEqual(expected);
        }
      }
      const [ours, theirs] = [atOnce.drain(), usual.drain()];
      expect(ours.places).toEqual(theirs.places);
      expect([...ours.states]).toEqual([...theirs.states]);
    }),
  );
});

test("drain returns what changed since the last call, and again what was requeued", () => {
  const limiter = new MemoryLimiter(() => 0);
  limiter.take(subject);
  const drained = limiter.drain();
  expect(idsOf(drained)).toEqual(["key_1"]);
  expect(limiter.drain().places).toEqual([]);
  limiter.requeue(drained.places);
  expect(idsOf(limiter.drain())).toEqual(["key_1"]);
  limiter.take(subject);
  const changed = limiter.drain();
  expect(idsOf(changed)).toEqual(["key_1"]);
  expect(changed.states.get("key_1")?.minute.count).toBe(2);
});

test("sweep removes the state of a key after its day, and drain returns the key", () => {
  let now = 0;
  const limiter = new MemoryLimiter(() => now);
  limiter.take(subject);
  limiter.drain();
  now = 86_400_000 - 1;
  limiter.sweep();
  expect(limiter.drain().places).toEqual([]);
  now = 86_400_000;
  limiter.sweep();
  expect(idsOf(limiter.drain())).toEqual(["key_1"]);
  expect(limiter.stateOf("key_1")).toBeUndefined();
});

test("sweeps look at 2,000 keys each, and go on where the last one ended", () => {
  let now = 0;
  const limiter = new MemoryLimiter(() => now);
  for (let i = 0; i < 5_000; i++) limiter.take({ ...subject, id: `key_${i}` });
  limiter.drain();
  now = 86_400_000;
  const removed = () => {
    limiter.sweep();
    return limiter.drain().places.length;
  };
  expect([removed(), removed(), removed(), removed()]).toEqual([2_000, 2_000, 1_000, 0]);
  limiter.take(subject);
  limiter.drain();
  now *= 2;
  expect(removed()).toBe(1);
});

const MOST_ADDRESSES = 100_000;

test("no address makes more requests per minute than the limit, and each address is counted separately", () => {
  const requests = fc.array(fc.tuple(pause, fc.constantFrom("192.0.2.1", "192.0.2.2")), { maxLength: 80, size: "max" });
  holds(
    fc.property(moment, requests, fc.integer({ min: 1, max: 6 }), (start, steps, perMinute) => {
      let now = start;
      const limiter = new MemoryMinuteLimiter(() => now, perMinute);
      const ledger = new Map<string, { count: number; end: number }>();
      for (const [wait, address] of steps) {
        now += wait;
        const known = ledger.get(address);
        const window = known && now < known.end * 1000 ? known : { count: 0, end: Math.floor(now / 1000) + 60 };
        ledger.set(address, window);
        const isAllowed = window.count < perMinute;
        if (isAllowed) window.count += 1;
        const left = perMinute - window.count + (isAllowed ? 1 : 0);
        expect(limiter.quotas(address).shown).toMatchObject({ remaining: left, resetAt: window.end });
        const { outcome, shown } = limiter.take(address);
        expect(outcome).toBe(isAllowed ? "allowed" : "rate_limit_exceeded");
        expect(shown).toMatchObject({ remaining: perMinute - window.count, resetAt: window.end });
      }
    }),
  );
});

test("many addresses evict the oldest, and memory stays bounded", () => {
  const limiter = new MemoryMinuteLimiter(() => 0, 10);
  const remainingOf = (address: string) => limiter.take(address).shown.remaining;
  remainingOf("oldest");
  remainingOf("second");
  for (let i = 2; i < MOST_ADDRESSES; i++) limiter.take(`address ${i}`);
  expect(remainingOf("oldest")).toBe(8);
  limiter.take("one too many");
  expect(remainingOf("second")).toBe(8);
  expect(remainingOf("oldest")).toBe(9);
});

test("the oldest window is evicted, not the oldest address", () => {
  let now = 0;
  const limiter = new MemoryMinuteLimiter(() => now, 10);
  const remainingAt = (moment: number, address: string) => {
    now = moment;
    return limiter.take(address).shown.remaining;
  };
  remainingAt(0, "regular");
  remainingAt(30_000, "once");
  expect(remainingAt(60_000, "regular")).toBe(9);
  for (let i = 2; i <= MOST_ADDRESSES; i++) limiter.take(`address ${i}`);
  expect(remainingAt(61_000, "regular")).toBe(8);
});

test("a refunded request does not count, and the others do", () => {
  const limiter = new MemoryMinuteLimiter(() => 0, 2);
  limiter.refund("192.0.2.1");
  limiter.take("192.0.2.1");
  for (let i = 0; i < 5; i++) {
    expect(limiter.take("192.0.2.1").outcome).toBe("allowed");
    limiter.refund("192.0.2.1");
  }
  // None is given back twice.
  for (let i = 0; i < 3; i++) limiter.refund("192.0.2.1");
  for (let i = 0; i < 2; i++) limiter.take("192.0.2.1");
  expect(limiter.take("192.0.2.1").outcome).toBe("rate_limit_exceeded");
});

test("ended windows are removed", () => {
  let now = 0;
  const limiter = new MemoryMinuteLimiter(() => now, 10);
  for (let i = 0; i < MOST_ADDRESSES; i++) limiter.take(`address ${i}`);
  now = 60_000;
  limiter.take("fresh");
  for (let i = 1; i < MOST_ADDRESSES; i++) limiter.take(`other ${i}`);
  expect(limiter.take("fresh").shown.remaining).toBe(8);
});

test("a name that is forgotten begins anew, and no other does", () => {
  const limiter = new MemoryMinuteLimiter(() => 0, 1);
  for (const name of ["one", "other"]) limiter.take(name);
  limiter.forget("one");
  expect(["one", "one", "other"].map((name) => limiter.take(name).outcome)).toEqual([
    "allowed",
    "rate_limit_exceeded",
    "rate_limit_exceeded",
  ]);
});

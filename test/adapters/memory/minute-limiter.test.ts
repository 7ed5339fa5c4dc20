import { expect, test } from "bun:test";
import fc from "fast-check";
import { MemoryMinuteLimiter } from "../../../src/adapters/memory/limiter.ts";
import { moment, pause } from "../../domain/limits/schedules.ts";
import { holds } from "../../support/holds.ts";

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
  limiter.take("192.0.2.1");
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

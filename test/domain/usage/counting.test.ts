import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  type Answered,
  BUCKETS,
  bucketOf,
  CountTable,
  count,
  covers,
  merge,
  newTally,
  partsOf,
  percentile,
  planOf,
  rollUp,
  startOf,
  type Tally,
  type TallyPart,
  TOTAL,
  totalOf,
} from "../../../src/domain/usage/counting.ts";
import { holds } from "../../support/holds.ts";

/** A whole minute, in Unix ms. */
const MINUTE = Date.UTC(2026, 11, 2, 10);
const quota = { name: "minute" as const, seconds: 60, limit: 1, remaining: 0, resetAt: 0 };
const banned = (beginsBan: boolean): Answered["decision"] => ({
  outcome: "key_banned",
  beginsBan,
  now: MINUTE,
  shown: quota,
  windows: [quota],
});
const answered = (more: Partial<Answered> = {}): Answered => ({
  keyId: "key_1",
  operation: "listPets",
  method: "GET",
  status: 200,
  duration: 1,
  at: MINUTE,
  decision: undefined,
  ...more,
});

function onlyPartOf(tally: Tally): TallyPart {
  const [part, ...others] = partsOf(tally, 100);
  if (part === undefined || others.length > 0) throw new Error("there is not exactly one part");
  return part;
}

test("a tally covers its minute, and neither the millisecond before it nor the next minute", () => {
  const tally = newTally(MINUTE + 30_000);
  expect(tally.minute).toBe(MINUTE);
  const moments = [-1, 0, 59_999, 60_000].map((offset) => MINUTE + offset);
  expect(moments.map((at) => covers(tally, at))).toEqual([false, true, true, false]);
});

test("requests are counted by the class of their status, and bans by the requests that begin them", () => {
  const tally = newTally(MINUTE);
  for (const status of [200, 201, 304, 399, 400, 401, 428, 429, 430, 499, 500, 599]) count(tally, answered({ status }));
  for (const beginsBan of [true, false, false]) count(tally, answered({ status: 429, decision: banned(beginsBan) }));
  expect(tally.byOperation.get("listPets")?.get("key_1")).toEqual([4, 5, 4, 2, 1]);
});

test("anonymous requests count in the total alone", () => {
  const tally = newTally(MINUTE);
  for (const keyId of ["key_1", undefined, undefined]) count(tally, answered({ keyId }));
  const { usage, latency } = rollUp(onlyPartOf(tally));
  const ofKeys = usage.filter(({ who }) => planOf(who) === undefined);
  const counts = ofKeys.map(({ resolution, who, counts: [succeeded] }) => [resolution, who, succeeded]);
  expect(counts).toEqual(
    ["minute", "hour", "day"].flatMap((resolution) => [
      [resolution, TOTAL, 3],
      [resolution, "key_1", 1],
    ]),
  );
  expect(latency.map(({ count }) => count)).toEqual([3, 3, 3]);
});

test("requests count for the plan that their key has then, with bans, and simulated ones for none", () => {
  const tally = newTally(MINUTE);
  for (const plan of ["free", "pro", "free", undefined] as const) count(tally, answered({ plan }));
  count(tally, answered({ plan: "pro", status: 429, decision: banned(true) }));
  count(tally, answered({ plan: "pro", simulation: { delay: 1 } }));
  const earlier = newTally(MINUTE);
  count(earlier, answered({ plan: "pro" }));
  merge(tally, earlier);
  const rows = rollUp(onlyPartOf(tally)).usage.filter(({ who }) => planOf(who) !== undefined);
  expect(rows.filter(({ resolution }) => resolution === "hour")).toEqual(
    [["free", [2, 0, 0, 0, 0]] as const, ["pro", [2, 0, 1, 0, 1]] as const, ["none", [1, 0, 0, 0, 0]] as const].map(
      ([plan, counts]) => {
        const at = startOf("hour", MINUTE);
        return { resolution: "hour", at, who: totalOf(plan), operation: "*", counts: [...counts] };
      },
    ),
  );
  expect(rows).toHaveLength(3 * 3);
});

test("a request counts as many times as in its limits, for its key, its plan and all, and once in the latency", () => {
  const tally = newTally(MINUTE);
  const costs = [undefined, 1, 100, 0];
  for (const cost of costs) count(tally, answered({ plan: "free", ...(cost !== undefined && { cost }) }));
  const { usage, latency } = rollUp(onlyPartOf(tally));
  const whole = ["minute", "hour", "day"].flatMap((resolution) =>
    [TOTAL, "key_1", totalOf("free")].map((who) => [resolution, who, [102, 0, 0, 0, 0]]),
  );
  expect(usage.map(({ resolution, who, counts }) => [resolution, who, [...counts]])).toEqual(
    expect.arrayContaining(whole),
  );
  expect(usage).toHaveLength(whole.length);
  expect(latency.map((row) => row.count)).toEqual(Array(3).fill(costs.length));
});

test("the counts of plans are in the first part of a tally alone", () => {
  const tally = newTally(MINUTE);
  for (let i = 0; i < 5; i++) count(tally, answered({ keyId: `key_${i}`, plan: "free" }));
  const rows = partsOf(tally, 2).map((part) => rollUp(part).usage.filter(({ who }) => who === totalOf("free")));
  expect(rows.map((ofPart) => ofPart.map(({ counts: [succeeded] }) => succeeded))).toEqual([[5, 5, 5], [], []]);
});

test("each key of each operation is in one part, and no part has more keys than it may", () => {
  const tally = newTally(MINUTE);
  const expected = ["getPet", "listPets"].flatMap((operation) =>
    ["key_1", "key_2", "key_3", "key_4"].map((keyId) => ({ operation, keyId })),
  );
  for (const one of expected) count(tally, answered(one));
  for (const maxKeys of [1, 2, 3, 5, 8, 9]) {
    const parts = partsOf(tally, maxKeys).map(({ counted }) =>
      counted.flatMap(({ operation, keyIds }) => keyIds.map((keyId) => ({ operation, keyId }))),
    );
    expect(parts.flat()).toEqual(expected);
    expect(parts.every(({ length }, i) => (i < parts.length - 1 ? length === maxKeys : length <= maxKeys))).toBe(true);
  }
});

test("the counts of each key stay its own while the table grows", () => {
  const table = new CountTable();
  const ids = Array.from({ length: 100 }, (_, i) => `key_${i}`);
  for (const [i, id] of ids.entries()) {
    table.increment(id, 0);
    table.add(id, [i, 0, 0, 0, 1]);
  }
  expect(ids.map((id) => table.get(id))).toEqual(ids.map((_, i) => [i + 1, 0, 0, 0, 1]));
  expect(table.sumOf(["key_1", "key_99", "key_unknown"])).toEqual([102, 0, 0, 0, 2]);
  expect([...table.keyIds]).toEqual(ids);
  expect(table.get("key_unknown")).toBeUndefined();
});

const duration = fc.oneof(
  fc.double({ min: 0.004, max: 1, noNaN: true }),
  fc.double({ min: 1, max: 20_000, noNaN: true }),
);

test("a percentile has an error of less than a fifth", () => {
  holds(
    fc.property(
      fc.array(duration, { minLength: 1, maxLength: 300 }),
      fc.constantFrom(0.5, 0.95, 0.99, 1),
      (all, share) => {
        const sorted = all.toSorted((a, b) => a - b);
        const exact = sorted[Math.max(1, Math.ceil(share * sorted.length)) - 1] ?? Number.NaN;
        const estimate = percentile(
          all.map((each) => ({ bucket: bucketOf(each), count: 1 })),
          share,
        );
        expect((estimate ?? Number.NaN) / exact).toBeWithin(1 / 1.2, 1.2);
      },
    ),
  );
});

test("every duration has a bucket, and a longer one never an earlier bucket", () => {
  holds(
    fc.property(fc.double({ min: 0, noNaN: true }), fc.double({ min: 0, noNaN: true }), (a, b) => {
      const [shorter, longer] = [Math.min(a, b), Math.max(a, b)];
      expect(bucketOf(shorter)).toBeLessThanOrEqual(bucketOf(longer));
      expect(bucketOf(longer)).toBeWithin(0, BUCKETS);
    }),
  );
  expect(bucketOf(Number.NaN)).toBe(0);
});

test("without requests there is no percentile", () => {
  expect(percentile([], 0.5)).toBeUndefined();
});

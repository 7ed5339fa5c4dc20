import { describe, expect, test } from "bun:test";
import { changes, said } from "../../console/src/audit/changes.ts";
import { stacked } from "../../console/src/charts/stack.ts";
import { between } from "../../console/src/overview/live.ts";
import { milliseconds, rate, share } from "../../console/src/words/number.ts";
import { ago, howLong, inUtc } from "../../console/src/words/time.ts";

const NOW = Date.UTC(2026, 11, 2, 10);
const before = (milliseconds: number) => new Date(NOW - milliseconds);

test.each([
  [0, "just now"],
  [-4_000, "just now"],
  [42_000, "42 s ago"],
  [90_000, "2 min ago"],
  [-3_600_000, "in 1 h"],
  [36 * 3_600_000, "36 h ago"],
  [1_474 * 86_400_000, "1,474 days ago"],
])("%d ms before now is %p", (gone, words) => {
  expect(ago(before(gone), NOW)).toBe(words);
});

test("lengths of time have their two largest units", () => {
  expect([0, 59, 3_600, 93_784].map(howLong)).toEqual(["0 s", "59 s", "1 h", "1 d 2 h"]);
});

test("moments are the same for everybody in UTC", () => {
  expect(inUtc(new Date(NOW))).toBe("2026-12-02 10:00:00 UTC");
});

test("a share is nothing or everything only when it is", () => {
  expect([share(0, 10), share(1, 1_000_000), share(1, 3), share(999_999, 1_000_000), share(5, 5)]).toEqual([
    "0 %",
    "< 0.1 %",
    "33.3 %",
    "> 99.9 %",
    "100 %",
  ]);
  expect(share(0, 0)).toBe("–");
});

test("numbers have as many places as say something", () => {
  expect([0, 0.037, 12.34, 1_234.5, 45_600].map(rate)).toEqual(["0", "0.04", "12.3", "1,235", "45.6K"]);
  expect([null, 0.001, 0.0371, 3.44, 11.2, 2_345].map(milliseconds)).toEqual([
    "–",
    "< 0.01 ms",
    "0.04 ms",
    "3.4 ms",
    "11 ms",
    "2.35 s",
  ]);
});

test("series stand upon each other, and the highest is drawn first", () => {
  const series = [
    { name: "low", colour: "", values: [1, 2] },
    { name: "high", colour: "", values: [10, 0] },
  ];
  expect(stacked([100, 160], series)).toEqual([
    [100, 160],
    [11, 2],
    [1, 2],
  ]);
});

test("a rate is what was counted in between, and never below nothing", () => {
  const counts = (answered: number) => ({ "2xx": answered, "4xx": 0, "429": 0, "5xx": 0 });
  expect(between({ at: 10, byClass: counts(100) }, { at: 14, byClass: counts(140) })["2xx"]).toBe(10);
  expect(between({ at: 10, byClass: counts(100) }, { at: 14, byClass: counts(90) })["2xx"]).toBe(0);
});

describe("what an entry of the audit log changed", () => {
  test("is what differs, part by part", () => {
    const was = { id: "key_1", plan: "free", limits: { perMinute: 60, perDay: 1000 } };
    const is = { id: "key_1", plan: "free", limits: { perMinute: 90, perDay: 1000 } };
    expect(changes(was, is)).toEqual([{ name: "limits.perMinute", from: 60, to: 90 }]);
  });

  test("is everything worth telling of what is new", () => {
    const made = changes(null, { id: "key_1", name: "x", plan: "pro", expiresAt: null, scopes: ["pets:read"] });
    expect(made.map(({ name, to }) => [name, said(to)])).toEqual([
      ["plan", "pro"],
      ["scopes", "pets:read"],
    ]);
  });

  test("is nothing where nothing is known", () => {
    expect(changes(null, null)).toEqual([]);
  });
});

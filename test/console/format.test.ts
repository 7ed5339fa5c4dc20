import { expect, test } from "bun:test";
import {
  formatBytes,
  formatCompact,
  formatDuration,
  formatMilliseconds,
  formatPercent,
  formatRate,
  formatRelative,
  formatUtc,
  pluralize,
  toLocalInput,
} from "../../console/src/format.ts";

const NOW = Date.UTC(2026, 11, 2, 10);

test.each([
  [0, "just now"],
  [4_999, "just now"],
  [5_000, "5 s ago"],
  [-4_000, "in a moment"],
  [42_000, "42 s ago"],
  [60_000, "1 min ago"],
  [90_000, "2 min ago"],
  [-3_600_000, "in 1 h"],
  [36 * 3_600_000, "36 h ago"],
  [47.4 * 3_600_000, "47 h ago"],
  [48 * 3_600_000, "2 days ago"],
  [-60 * 3_600_000, "in 3 days"],
  [1_474 * 86_400_000, "1,474 days ago"],
])("%d ms before now is %p", (elapsed, text) => {
  expect(formatRelative(new Date(NOW - elapsed), NOW)).toBe(text);
});

test("durations have their two largest units", () => {
  expect([0, 59, 3_600, 93_784].map(formatDuration)).toEqual(["0 s", "59 s", "1 h", "1 d 2 h"]);
  expect([60.9, 3_599, 86_399, 86_460].map(formatDuration)).toEqual(["1 min", "59 min 59 s", "23 h 59 min", "1 d"]);
});

test("times in UTC do not depend on the time zone", () => {
  expect(formatUtc(new Date(NOW))).toBe("2026-12-02 10:00:00 UTC");
});

test("a share is 0 % or 100 % only when it is exact", () => {
  expect(formatPercent(0, 10)).toBe("0 %");
  expect(formatPercent(1, 1_000_000)).toBe("< 0.1 %");
  expect([0.99, 1, 999, 999.1].map((part) => formatPercent(part, 1_000))).toEqual([
    "< 0.1 %",
    "0.1 %",
    "99.9 %",
    "> 99.9 %",
  ]);
  expect(formatPercent(1, 3)).toBe("33.3 %");
  expect(formatPercent(999_999, 1_000_000)).toBe("> 99.9 %");
  expect(formatPercent(5, 5)).toBe("100 %");
  expect(formatPercent(0, 0)).toBe("–");
});

test("rates and milliseconds have only significant digits", () => {
  expect([0, 0.037, 12.34, 1_234.5, 45_600].map(formatRate)).toEqual(["0", "0.04", "12.3", "1,235", "45.6K"]);
  expect([null, 0.001, 0.0371, 3.44, 11.2, 2_345].map(formatMilliseconds)).toEqual([
    "–",
    "< 0.01 ms",
    "0.04 ms",
    "3.4 ms",
    "11 ms",
    "2.35 s",
  ]);
});

test("milliseconds become seconds where two digits would round to one", () => {
  expect([9.99, 994.9, 995.1, 1_000].map(formatMilliseconds)).toEqual(["10 ms", "990 ms", "1.00 s", "1.00 s"]);
});

test("counts are in full below 10,000, and sizes in units of 1,000", () => {
  expect([9_999, 10_000, 1_234_567, -9_999, -12_345].map(formatCompact)).toEqual([
    ...["9,999", "10K", "1.2M", "-9,999", "-12.3K"],
  ]);
  expect([0, 1, 999, 1_000, 405_500, 1_200_000, 3e9, 4.5e12, 6e15].map(formatBytes)).toEqual([
    ...["0 B", "1 B", "999 B", "1 kB", "405.5 kB", "1.2 MB", "3 GB", "4.5 TB", "6,000 TB"],
  ]);
});

test("only one is singular", () => {
  expect([0, 1, 1_000].map((count) => pluralize(count, "key"))).toEqual(["0 keys", "1 key", "1,000 keys"]);
  expect([1, 2].map((count) => pluralize(count, "category", "categories"))).toEqual(["1 category", "2 categories"]);
});

test("an invalid time gives an empty input", () => {
  expect(toLocalInput(new Date("yesterday"))).toBe("");
});

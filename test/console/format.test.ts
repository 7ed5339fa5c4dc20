import { expect, test } from "bun:test";
import {
  formatDuration,
  formatMilliseconds,
  formatPercent,
  formatRate,
  formatRelative,
  formatUtc,
  toLocalInput,
} from "../../console/src/format.ts";

const NOW = Date.UTC(2026, 11, 2, 10);

test.each([
  [0, "just now"],
  [-4_000, "in a moment"],
  [42_000, "42 s ago"],
  [90_000, "2 min ago"],
  [-3_600_000, "in 1 h"],
  [36 * 3_600_000, "36 h ago"],
  [1_474 * 86_400_000, "1,474 days ago"],
])("%d ms before now is %p", (elapsed, text) => {
  expect(formatRelative(new Date(NOW - elapsed), NOW)).toBe(text);
});

test("durations have their two largest units", () => {
  expect([0, 59, 3_600, 93_784].map(formatDuration)).toEqual(["0 s", "59 s", "1 h", "1 d 2 h"]);
});

test("times in UTC do not depend on the time zone", () => {
  expect(formatUtc(new Date(NOW))).toBe("2026-12-02 10:00:00 UTC");
});

test("a share is 0 % or 100 % only when it is exact", () => {
  expect(formatPercent(0, 10)).toBe("0 %");
  expect(formatPercent(1, 1_000_000)).toBe("< 0.1 %");
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

test("an invalid time gives an empty input", () => {
  expect(toLocalInput(new Date("yesterday"))).toBe("");
});

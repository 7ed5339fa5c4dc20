import { expect, test } from "bun:test";
import { newCustomRange, queryOf, resolutionOf } from "../../console/src/time-range.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const NOW = Date.UTC(2026, 11, 2, 10, 0, 30);

test("a custom range has the shortest points that are stored and few enough for a chart", () => {
  const of = (length: number, age = length) => resolutionOf(NOW - age, NOW - age + length, NOW);
  expect([of(HOUR), of(4 * HOUR), of(4 * HOUR + 1)]).toEqual(["minute", "minute", "hour"]);
  expect([of(HOUR, 30 * DAY - 1), of(HOUR, 30 * DAY)]).toEqual(["minute", "hour"]);
  expect([of(10 * DAY), of(10 * DAY + 1)]).toEqual(["hour", "day"]);
  expect([of(DAY, 90 * DAY - 1), of(DAY, 90 * DAY)]).toEqual(["hour", "day"]);
});

test("a named range ends now by the service's clock, a custom one at its end", () => {
  expect(queryOf({ name: "week" }, NOW)).toEqual({ resolution: "hour", points: 168 });
  expect(queryOf(newCustomRange(NOW), NOW)).toEqual({
    resolution: "hour",
    from: "2026-12-01T10:00:00.000Z",
    to: "2026-12-02T10:00:00.000Z",
  });
});

import { expect, test } from "bun:test";
import { newCustomRange, queryOf, resolutionOf, timeRanges } from "../../console/src/time-range.ts";

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

test("each named range has as many points as its name says", () => {
  const lengths: Record<string, number> = { Live: 2 * 60_000, Hour: HOUR };
  for (const [name, label] of timeRanges) {
    if (name === "custom") continue;
    const [count = 0, unit] = label.split(" ");
    const { resolution, points } = queryOf({ name }, NOW);
    const length = Number(points) * ({ minute: 60_000, hour: HOUR, day: DAY }[String(resolution)] ?? 0);
    expect([label, length]).toEqual([label, lengths[label] ?? Number(count) * (unit === "days" ? DAY : HOUR)]);
  }
  // An hour has minutes, 24 hours and a week have hours: a chart of two points says nothing.
  expect(timeRanges.map(([name]) => (name === "custom" ? "" : queryOf({ name }, NOW).resolution))).toEqual([
    ...["minute", "minute", "hour", "hour", "day", "day", ""],
  ]);
});

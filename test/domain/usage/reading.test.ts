import { expect, test } from "bun:test";
import fc from "fast-check";
import { lengthOf, resolutions, SIMULATED, startOf } from "../../../src/domain/usage/counting.ts";
import { coverOf, pointsOf } from "../../../src/domain/usage/reading.ts";
import { holds } from "../../support/holds.ts";

const START = Date.UTC(2026, 11, 2);

test("a range is covered once, without gaps, by as few minutes, hours and days as possible", () => {
  holds(
    fc.property(
      fc.constantFrom(...resolutions),
      fc.nat(5_000),
      fc.integer({ min: 1, max: 1_500 }),
      (resolution, after, count) => {
        const length = lengthOf[resolution];
        const first = startOf(resolution, START + after * lengthOf.minute);
        const moments = Array.from({ length: count }, (_, i) => first + i * length);
        const cover = coverOf(resolution, moments);
        const parts = resolutions
          .flatMap((one) => cover[one].map((at) => ({ at, end: at + lengthOf[one], one })))
          .sort((a, b) => a.at - b.at);
        expect(parts[0]?.at).toBe(first);
        expect(parts.at(-1)?.end).toBe(first + count * length);
        for (const [i, { at, one }] of parts.entries()) {
          expect(at).toBe(startOf(one, at));
          if (i > 0) expect(at).toBe(parts[i - 1]?.end ?? 0);
        }
        expect(cover.minute.length).toBeLessThan(2 * 60);
        expect(cover.hour.length).toBeLessThan(2 * 24);
      },
    ),
    60,
  );
  expect(coverOf("hour", [])).toEqual({ minute: [], hour: [], day: [] });
});

test("there is one point for each moment, in order, with the sum of its rows and of no others", () => {
  const [first, second, third] = [START, START + lengthOf.hour, START + 2 * lengthOf.hour];
  const row = (at: number, operation: string, counts: number[]) => ({
    ...{ resolution: "hour" as const, at, who: "key_1", operation, counts },
  });
  const points = pointsOf(
    [first, second, third],
    [
      row(third + lengthOf.hour, "getPet", [9, 9, 9, 9, 9]),
      row(third, "getPet", [1, 2, 3, 4, 5]),
      row(first - lengthOf.hour, "getPet", [9, 9, 9, 9, 9]),
      row(first, "listPets", [1, 0, 0, 0, 0]),
      row(third, "listPets", [10, 20, 30, 40, 50]),
      row(third, SIMULATED, [1, 1, 1, 1, 1]),
      row(third, "getPet", [100, 200, 300, 400, 500]),
    ],
  );
  const quiet = {
    requests: 0,
    byClass: { "2xx": 0, "4xx": 0, "429": 0, "5xx": 0 },
    byOperation: {},
    bans: 0,
    simulated: 0,
  };
  expect(
    points.map(({ at, requests, byClass, byOperation, bans, simulated }) => ({
      ...{ at, requests, byClass, byOperation, bans, simulated },
    })),
  ).toEqual([
    { ...quiet, at: first, requests: 1, byClass: { ...quiet.byClass, "2xx": 1 }, byOperation: { listPets: 1 } },
    { ...quiet, at: second },
    {
      at: third,
      requests: 1_110,
      byClass: { "2xx": 111, "4xx": 222, "429": 333, "5xx": 444 },
      byOperation: { getPet: 1_010, listPets: 100 },
      bans: 555,
      simulated: 4,
    },
  ]);
});

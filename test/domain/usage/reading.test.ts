import { expect, test } from "bun:test";
import fc from "fast-check";
import { lengthOf, type Resolution, resolutions, SIMULATED, startOf } from "../../../src/domain/usage/counting.ts";
import { countsOf, coverOf, type KeySum, pointsOf, type Ranked, topKeys } from "../../../src/domain/usage/reading.ts";
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

/** A store in which keys have these counts of requests in the hour that begins at START, and in its first minute. */
function storeOf(counts: Record<string, { hour: number; minute?: number }>) {
  const summed: string[][] = [];
  return {
    summed,
    async busiest(_: unknown, resolution: "hour" | "day", moments: readonly number[], limit: number) {
      if (resolution !== "hour" || !moments.includes(START)) return [];
      const all = Object.entries(counts).map(([keyId, { hour }]): Ranked => ({ keyId, count: hour }));
      return all.sort((a, b) => b.count - a.count).slice(0, limit);
    },
    async sumsOf(keyIds: readonly string[], resolution: Resolution, moments: readonly number[]) {
      summed.push([...keyIds]);
      if (resolution === "day" || !moments.includes(START)) return [];
      return keyIds.map((keyId): KeySum => ({ keyId, counts: [counts[keyId]?.[resolution] ?? 0, 0, 0, 0, 0] }));
    },
  };
}

test("the busiest keys of minutes are found among the hundred of their hour, and twice as many as asked for are compared", async () => {
  // That of the minute is the last of its hour.
  const many = Array.from({ length: 99 }, (_, i) => [`key_${i}`, { hour: 1_000 - i }] as const);
  const store = storeOf({ ...Object.fromEntries(many), key_late: { hour: 5, minute: 5 } });
  const idsOf = async (resolution: Resolution, limit: number) =>
    (await topKeys(store, { resolution, moments: [START] }, "requests", limit)).map(({ keyId }) => keyId);
  expect(await idsOf("minute", 1)).toEqual(["key_late"]);
  expect(store.summed[0]).toHaveLength(100);
  for (const [limit, compared] of [
    [1, 25],
    [12, 25],
    [20, 40],
  ] as const) {
    store.summed.splice(0);
    expect(await idsOf("hour", limit)).toEqual(many.slice(0, limit).map(([id]) => id));
    expect(store.summed[0]).toHaveLength(compared);
  }
});

test("keys with as many requests are in the order of their ids, and those without any are in none", async () => {
  const store = storeOf({ key_c: { hour: 2 }, key_a: { hour: 2 }, key_none: { hour: 0 }, key_b: { hour: 3 } });
  const found = await topKeys(store, { resolution: "hour", moments: [START] }, "requests", 9);
  expect(found.map(({ keyId }) => keyId)).toEqual(["key_b", "key_a", "key_c"]);
  expect(await topKeys(store, { resolution: "hour", moments: [START] }, "refusals", 9)).toEqual([]);
});

test("counts of operations that this version does not know are those of others, and each point has its own", () => {
  const counts = countsOf(["listPets", "other"]);
  expect(counts({ listPets: 2, sellPet: 3, rentPet: 4, other: 1 })).toEqual({ listPets: 2, other: 8 });
  expect(counts({ toString: 1 })).toEqual({ listPets: 0, other: 1 });
  expect(counts({})).toEqual({ listPets: 0, other: 0 });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fc from "fast-check";
import { Database } from "../../../src/adapters/sqlite/database.ts";
import { SqliteKeys } from "../../../src/adapters/sqlite/keys.ts";
import { KeyAdministration } from "../../../src/domain/keys/administration.ts";
import {
  applies,
  lastPosition,
  MAX_REQUESTS,
  MAX_SCHEDULE_SEED,
  type Schedule,
  scheduleOf,
  scheduleText,
} from "../../../src/domain/keys/simulation.ts";
import { rehearsing } from "../../../src/domain/keys/store.ts";
import { type TemporaryFile, temporaryFile } from "../../adapters/sqlite/temporary.ts";
import { TESTER } from "../../support/author.ts";
import { holds } from "../../support/holds.ts";

const count = fc.integer({ min: 1, max: MAX_REQUESTS });
const few = fc.integer({ min: 1, max: 500 });
const percent = fc.integer({ min: 1, max: 100 });
const seed = fc.integer({ min: 0, max: MAX_SCHEDULE_SEED });

/** The positions up to `until` at which the answer is given. */
function positions(schedule: Schedule, until: number): number[] {
  return Array.from({ length: until }, (_, i) => i + 1).filter((position) => applies(schedule, position));
}

test("the next n requests are exactly the first n, and the last of them ends the script", () => {
  holds(
    fc.property(few, few, (next, more) => {
      expect(positions({ next }, next + more)).toEqual(Array.from({ length: next }, (_, i) => i + 1));
      expect(lastPosition({ next })).toBe(next);
    }),
    100,
  );
});

test("one in n is exactly every n-th request, without an end", () => {
  holds(
    fc.property(few, few, (every, rounds) => {
      const positionsOfRounds = Array.from({ length: rounds }, (_, i) => (i + 1) * every);
      for (const position of positionsOfRounds) {
        expect(applies({ every }, position)).toBe(true);
        if (every > 1) expect(applies({ every }, position - 1)).toBe(false);
      }
      expect(positions({ every }, every * 3)).toEqual([every, every * 2, every * 3]);
    }),
    100,
  );
});

test("a share in percent is that share within statistical bounds, of all requests and of every other one", () => {
  const REQUESTS = 10_000;
  holds(
    fc.property(percent, seed, (share, chosen) => {
      const found = positions({ percent: share, seed: chosen }, REQUESTS);
      // Six standard deviations: a fair coin exceeds them once in 500 million times.
      const bound = (requests: number) => 6 * Math.sqrt(requests * (share / 100) * (1 - share / 100));
      expect(Math.abs(found.length - (REQUESTS * share) / 100)).toBeLessThanOrEqual(bound(REQUESTS));
      const odd = found.filter((position) => position % 2 === 1).length;
      expect(Math.abs(odd - (REQUESTS * share) / 200)).toBeLessThanOrEqual(bound(REQUESTS / 2));
    }),
    50,
  );
});

test("a share selects the same requests with the same seed, and others with another", () => {
  holds(
    fc.property(fc.integer({ min: 5, max: 95 }), seed, seed, (share, one, other) => {
      const found = positions({ percent: share, seed: one }, 500);
      expect(positions({ percent: share, seed: one }, 500)).toEqual(found);
      if (one !== other) expect(positions({ percent: share, seed: other }, 500)).not.toEqual(found);
    }),
    50,
  );
});

test("seed 7 selects these requests of the first 100, on every version", () => {
  expect(positions({ percent: 5, seed: 7 }, 100)).toEqual([1, 38, 42, 60, 78, 93, 94, 98]);
});

test("100 percent are all requests", () => {
  holds(fc.property(seed, count, (chosen, position) => applies({ percent: 100, seed: chosen }, position)));
});

test("only a number of requests has a last one", () => {
  expect(lastPosition({ next: 3 })).toBe(3);
  expect(lastPosition({ every: 3 })).toBeUndefined();
  expect(lastPosition({ percent: 3, seed: 1 })).toBeUndefined();
});

test.each([
  [{ next: 3 }, { next: 3 }],
  [{ every: 10 }, { every: 10 }],
  [
    { percent: 5, seed: 7 },
    { percent: 5, seed: 7 },
  ],
  [{ percent: 5 }, { percent: 5, seed: 0 }],
])("%j is the schedule %j", (fields, schedule) => {
  expect(scheduleOf(fields)).toEqual(schedule);
});

test.each([
  [{}, "next is required, or else every or percent."],
  [{ next: 1, every: 2 }, "every must not be given together with next."],
  [{ every: 1, percent: 2, seed: 1 }, "percent must not be given together with every."],
  [{ next: 1, seed: 1 }, "seed is for percent only."],
])("%j is no schedule: %s", (fields, message) => {
  expect(() => scheduleOf(fields)).toThrow(message);
});

test.each([
  [{ next: 1 }, "the next request"],
  [{ next: 3_000 }, "the next 3,000 requests"],
  [{ every: 1 }, "every request"],
  [{ every: 10 }, "1 in 10 requests"],
  [{ percent: 5, seed: 7 }, "5 % of requests (seed 7)"],
])("%j in words is %p", (schedule, text) => {
  expect(scheduleText(schedule)).toBe(text);
});

describe("what is simulated for a request with a key:", () => {
  const NOW = Date.UTC(2026, 11, 2, 10);
  let file: TemporaryFile;
  let database: Database;
  let keys: SqliteKeys;
  let administration: KeyAdministration;
  beforeAll(() => {
    file = temporaryFile();
    database = new Database(file);
    keys = new SqliteKeys(database);
    administration = new KeyAdministration(keys, "staging", TESTER);
  });
  afterAll(() => {
    database.close();
    file.remove();
  });

  const create = async () => (await administration.create({ name: "test", plan: "free", scopes: [] }, NOW)).key;

  test("a key without a simulation simulates nothing, and waits for nothing", async () => {
    expect(rehearsing(keys)(await create())).toBeUndefined();
  });

  test("a simulation is read from its answer", async () => {
    const { id } = await create();
    const key = await administration.simulate(id, { answer: "delay=5, lost-answer", every: 1 }, NOW);
    expect(await rehearsing(keys)(key)).toEqual({ delay: 5, cut: "lost-answer" });
  });

  test("a key as it was read before its simulation ended simulates nothing with any schedule", async () => {
    for (const schedule of [{ next: 5 }, { every: 1 }, { percent: 100, seed: 7 }]) {
      const { id } = await create();
      const stale = await administration.simulate(id, { answer: "not_found", ...schedule }, NOW);
      await administration.endSimulation(id, NOW);
      expect(await rehearsing(keys)(stale)).toBeUndefined();
    }
  });
});

import { expect, test } from "bun:test";
import type { Overview } from "../../console/src/api/responses.ts";
import { recordRates } from "../../console/src/pages/live-rates.ts";

const START = Date.UTC(2026, 11, 2, 10);

/** The overview after so many seconds of two requests per second. */
function overviewAfter(seconds: number): Overview {
  const byClass = { "2xx": 2 * seconds, "4xx": 0, "429": 0, "5xx": 0 };
  const overview = { now: new Date(START + seconds * 1000).toISOString(), live: { total: { byClass } } };
  return { ...overview, hour: { points: [] } } as unknown as Overview;
}

test("the rates of the last five minutes are kept, and a response that is seen again adds none", () => {
  for (let seconds = 0; seconds <= 400; seconds += 2) recordRates(overviewAfter(seconds));
  const rates = recordRates(overviewAfter(402));
  expect(rates).toHaveLength(150);
  expect(rates.at(-1)).toMatchObject({ at: START / 1000 + 402, "2xx": 2 });
  expect(recordRates(overviewAfter(402))).toEqual(rates);
  expect(recordRates(overviewAfter(400))).toEqual(rates);
});

test("a rate spans three responses, so that one that has nothing new does not show as a gap", () => {
  // The service counts every two seconds, and is asked as often: every other response has the counts of two.
  const counts = [0, 0, 8, 8, 16, 16, 24, 24, 32];
  const rates = counts.map((count, at) => {
    const overview = overviewAfter(1_000 + 2 * at);
    const byClass = { "2xx": 10_000 + count, "4xx": 0, "429": 0, "5xx": 0 };
    return recordRates({ ...overview, live: { ...overview.live, total: { byClass } } } as Overview).at(-1)?.["2xx"];
  });
  for (const rate of rates.slice(4)) expect(rate).toBeWithin(1, 3);
});

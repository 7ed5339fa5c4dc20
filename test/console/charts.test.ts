import { expect, test } from "bun:test";
import { stacked } from "../../console/src/components/plot.ts";
import { ratesBetween, ratesOfMinutes } from "../../console/src/pages/live-rates.ts";

test("stacked series are sums, the highest first", () => {
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

test("a rate is the difference of two totals per second, and never negative", () => {
  const totals = (successful: number) => ({ "2xx": successful, "4xx": 0, "429": 0, "5xx": 0 });
  expect(ratesBetween({ at: 10, byClass: totals(100) }, { at: 14, byClass: totals(140) })["2xx"]).toBe(10);
  expect(ratesBetween({ at: 10, byClass: totals(100) }, { at: 14, byClass: totals(90) })["2xx"]).toBe(0);
});

test("the live chart begins with the average rates of the minutes before", () => {
  const minute = (at: number, successful: number) => ({
    at: new Date(at * 1000).toISOString(),
    requests: successful,
    byClass: { "2xx": successful, "4xx": 0, "429": 0, "5xx": 0 },
    byOperation: { listPets: successful, createPet: 0, getPet: 0, getUsage: 0, other: 0 },
    bans: 0,
    simulated: 0,
  });
  const history = ratesOfMinutes([minute(0, 120), minute(60, 600), minute(120, 60)], 140);
  expect(history.map((rates) => [rates.at, rates["2xx"]])).toEqual([
    [0, 2],
    [59, 2],
    [60, 10],
    [119, 10],
    [120, 3],
    [139, 3],
  ]);
  expect(ratesOfMinutes([minute(120, 60)], 125)).toEqual([]);
  // So few seconds have no rate.
  expect([130, 131].map((now) => ratesOfMinutes([minute(120, 60)], now).length)).toEqual([0, 2]);
});

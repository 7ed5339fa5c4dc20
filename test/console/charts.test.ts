import { expect, test } from "bun:test";
import { stacked } from "../../console/src/charts/stack.ts";
import { ratesBetween } from "../../console/src/overview/live-rates.ts";

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

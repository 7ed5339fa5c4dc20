import type { ByClass, Overview } from "../api/responses.ts";

/** Requests per second by status class, at a time in Unix seconds. */
export type Rates = ByClass & { at: number };

/** Requests since the service started, at a time in Unix seconds. */
type Totals = { at: number; byClass: ByClass };

const MAX_RATES = 150;
/**
 * A rate spans this many responses. The overview changes every two seconds, which is also the interval of its requests:
 * the difference of two consecutive responses would swing between zero and twice the rate.
 */
const SMOOTHING = 3;

let totals: Totals[] = [];
let rates: Rates[] = [];

/** Adds the rates of `overview` to those of the last minutes, and returns all. They outlive the page. */
export function recordRates(overview: Overview): Rates[] {
  const now = { at: Date.parse(overview.now) / 1000, byClass: overview.live.total.byClass };
  const last = totals.at(-1);
  if (last !== undefined && now.at <= last.at) return rates;
  const before = totals[0];
  if (before !== undefined) rates = [...rates, ratesBetween(before, now)].slice(-MAX_RATES);
  totals = [...totals, now].slice(-SMOOTHING);
  return rates;
}

/** The rates between two totals, never negative: totals shrink when the service deletes old days. */
export function ratesBetween(before: Totals, after: Totals): Rates {
  const seconds = after.at - before.at;
  const rate = (name: keyof ByClass) => Math.max(0, after.byClass[name] - before.byClass[name]) / seconds;
  return { at: after.at, "2xx": rate("2xx"), "4xx": rate("4xx"), "429": rate("429"), "5xx": rate("5xx") };
}

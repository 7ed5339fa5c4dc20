import type { ByClass, Overview, Point } from "../api/responses.ts";

/** Requests per second by status class, at a time in Unix seconds. */
export type Rates = ByClass & { at: number };

/** Requests since the service started, at a time in Unix seconds. */
type Totals = { at: number; byClass: ByClass };

const MAX_RATES = 150;
/** A minute that began less than this many seconds ago has too few requests for a rate. */
const SHORTEST_MINUTE = 10;
/**
 * A rate spans this many responses. The overview changes every two seconds, which is also the interval of its requests:
 * the difference of two consecutive responses would swing between zero and twice the rate.
 */
const SMOOTHING = 3;

const NOTHING: ByClass = { "2xx": 0, "4xx": 0, "429": 0, "5xx": 0 };

let totals: Totals[] = [];
let rates: Rates[] = [];

/** Adds the rates of `overview` to those of the last minutes, and returns all. They outlive the page. */
export function recordRates(overview: Overview): Rates[] {
  const now = { at: Date.parse(overview.now) / 1000, byClass: overview.live.total.byClass };
  const last = totals.at(-1);
  if (last !== undefined && now.at <= last.at) return rates;
  if (last === undefined) rates = ratesOfMinutes(overview.hour.points, now.at);
  const before = totals[0];
  if (before !== undefined) rates = [...rates, ratesBetween(before, now)].slice(-MAX_RATES);
  totals = [...totals, now].slice(-SMOOTHING);
  return rates;
}

/** The average rates of minutes, as steps: the history until `now` (Unix seconds), before the first rate is known. */
export function ratesOfMinutes(points: Point[], now: number): Rates[] {
  return points.flatMap(({ at, byClass }) => {
    const start = Date.parse(at) / 1000;
    const end = Math.min(start + 60, now) - 1;
    if (end - start < SHORTEST_MINUTE) return [];
    const rates = ratesBetween({ at: start, byClass: NOTHING }, { at: end + 1, byClass });
    return [
      { ...rates, at: start },
      { ...rates, at: end },
    ];
  });
}

/** The rates between two totals, never negative: totals shrink when the service deletes old days. */
export function ratesBetween(before: Totals, after: Totals): Rates {
  const seconds = after.at - before.at;
  const rate = (name: keyof ByClass) => Math.max(0, after.byClass[name] - before.byClass[name]) / seconds;
  return { at: after.at, "2xx": rate("2xx"), "4xx": rate("4xx"), "429": rate("429"), "5xx": rate("5xx") };
}

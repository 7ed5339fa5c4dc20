import type { ByClass, Overview } from "../api/answers.ts";

/** Requests a second by how they were answered, at a moment (Unix seconds). */
export type Rates = ByClass & { at: number };

/** What was counted since the service's start, when it was last asked. */
type Counted = { at: number; byClass: ByClass };

const KEPT = 150;
/**
 * Over how many answers a rate is taken. What is counted reaches the overview every two seconds, as does our question:
 * from one answer to the next it would swing between nothing and twice the rate.
 */
const SMOOTHED = 3;

let counted: Counted[] = [];
let samples: Rates[] = [];

/** The rates of the last minutes, this overview's among them. They are kept while the reader looks at other pages. */
export function ratesWith(overview: Overview): Rates[] {
  const now = { at: Date.parse(overview.now) / 1000, byClass: overview.live.total.byClass };
  const last = counted.at(-1);
  if (last !== undefined && now.at <= last.at) return samples;
  const before = counted[0];
  if (before !== undefined) samples = [...samples, between(before, now)].slice(-KEPT);
  counted = [...counted, now].slice(-SMOOTHED);
  return samples;
}

/** What was counted between two answers, by the time between them. Days that are no longer kept take their counts along. */
export function between(before: Counted, after: Counted): Rates {
  const seconds = after.at - before.at;
  const a = (name: keyof ByClass) => Math.max(0, after.byClass[name] - before.byClass[name]) / seconds;
  return { at: after.at, "2xx": a("2xx"), "4xx": a("4xx"), "429": a("429"), "5xx": a("5xx") };
}

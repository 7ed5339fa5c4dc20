import type { ByClass, Overview } from "../api/answers.ts";

/** Requests a second by how they were answered, at a moment (Unix seconds). */
export type Rates = ByClass & { at: number };

/** What was counted since the service's start, when it was last asked. */
type Counted = { at: number; byClass: ByClass };

const KEPT = 150;

let samples: Rates[] = [];
let last: Counted | undefined;

/**
 * The rates of the last two minutes, this overview's among them: what was counted between two answers, by the time
 * between them. They are kept while the reader looks at other pages.
 */
export function ratesWith(overview: Overview): Rates[] {
  const now = { at: Date.parse(overview.now) / 1000, byClass: overview.live.total };
  if (last !== undefined && now.at <= last.at) return samples;
  if (last !== undefined) samples = [...samples, between(last, now)].slice(-KEPT);
  last = now;
  return samples;
}

/** Another process may have begun to count anew: then nothing is known of the time between. */
export function between(before: Counted, after: Counted): Rates {
  const seconds = after.at - before.at;
  const a = (name: keyof ByClass) => Math.max(0, after.byClass[name] - before.byClass[name]) / seconds;
  return { at: after.at, "2xx": a("2xx"), "4xx": a("4xx"), "429": a("429"), "5xx": a("5xx") };
}

import { coverOf } from "./cover.ts";
import { type Point, pointWith } from "./point.ts";
import type { KeySum, Ranked, Ranking } from "./ranking.ts";
import { type Resolution, resolutions, startOf } from "./resolution.ts";
import type { UsageStore } from "./store.ts";

/** A key and its requests in a range, not by operation. */
export type TopKey = { keyId: string; sum: Point };

/** The largest number of keys that can be asked for. */
export const MOST_KEYS = 100;
/** The length of the ranking of an hour or of a day that is read. */
const RANKED = 100;
/** How many keys are summed for each one asked for, and at least: more where the ranking is that of a longer time. */
const CANDIDATES = 2;
const LEAST_CANDIDATES = { hours: 25, minutes: 100 };

/**
 * Returns up to `limit` keys with the most requests, or refusals, in a range of consecutive minutes, hours or days, largest
 * first, with their exact counts. Candidates are the first hundred of each hour or day: a key that is never among them is not
 * found, so the time that this takes does not depend on the number of keys. @throws service_unavailable
 */
export async function topKeys(
  store: Pick<UsageStore, "busiest" | "sumsOf">,
  { resolution, moments }: { resolution: Resolution; moments: readonly number[] },
  ranking: Ranking,
  limit: number,
): Promise<TopKey[]> {
  const cover = coverOf(resolution, moments);
  // Minutes have no ranking: their keys are in that of their hour.
  const hours = [...new Set([...cover.hour, ...cover.minute.map((at) => startOf("hour", at))])];
  const ranked = [
    ...(await store.busiest(ranking, "hour", hours, RANKED)),
    ...(await store.busiest(ranking, "day", cover.day, RANKED)),
  ];
  const least = LEAST_CANDIDATES[cover.minute.length === 0 ? "hours" : "minutes"];
  const candidates = largestOf(ranked, Math.max(CANDIDATES * limit, least));
  const sums: KeySum[] = [];
  // One after the other: an engine in this process reads in turns, between which requests are answered.
  for (const part of resolutions) sums.push(...(await store.sumsOf(candidates, part, cover[part])));
  const countOf = ({ sum }: TopKey) => (ranking === "refusals" ? sum.byClass["429"] : sum.requests);
  return added(sums)
    .map(({ keyId, counts }) => ({ keyId, sum: pointWith(moments[0] ?? 0, counts) }))
    .filter((key) => countOf(key) > 0)
    .sort((a, b) => countOf(b) - countOf(a) || (a.keyId < b.keyId ? -1 : 1))
    .slice(0, limit);
}

/** The ids of the keys whose counts have the largest sums. */
function largestOf(ranked: readonly Ranked[], most: number): string[] {
  const sums = new Map<string, number>();
  for (const { keyId, count } of ranked) sums.set(keyId, (sums.get(keyId) ?? 0) + count);
  const sorted = [...sums].sort(([, a], [, b]) => b - a);
  return sorted.slice(0, most).map(([keyId]) => keyId);
}

function added(sums: readonly KeySum[]): KeySum[] {
  const byKey = Map.groupBy(sums, ({ keyId }) => keyId);
  return [...byKey].map(([keyId, parts]) => ({
    keyId,
    counts: parts.map(({ counts }) => counts).reduce((sum, counts) => sum.map((count, i) => count + (counts[i] ?? 0))),
  }));
}

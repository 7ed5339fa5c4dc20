import type { Plan } from "../../src/domain/limits/limits.ts";
import {
  bucketOf,
  type LatencyRow,
  lastOf,
  lengthOf,
  type Resolution,
  TOTAL,
  totalOf,
  type UsageRow,
} from "../../src/domain/usage/counting.ts";
import type { UsageStore } from "../../src/domain/usage/reading.ts";

/** The share of all requests that a key on this plan makes, from 0 to 1. */
export type KeyShare = { keyId: string; plan: Plan; share: number };

/** Each operation with its share of all requests, and the shares of these that get a 4xx, a 429 and a 5xx. */
const operations: [operation: string, number, [number, number, number]][] = [
  ["listPets", 0.71, [0.008, 0.025, 0.00002]],
  ["createPet", 0.2, [0.03, 0.02, 0.00008]],
  ["getPet", 0.07, [0.05, 0.01, 0]],
  ["getUsage", 0.015, [0, 0, 0]],
  ["other", 0.005, [1, 0, 0]],
];
const latencies = [0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1.1, 2.4, 7.5];

/** Writes usage of the thirty days before `now` (Unix ms): in total, and for each key as far back as its page shows. */
export async function writeHistory(
  store: UsageStore,
  now: number,
  perMinute: number,
  shares: KeyShare[],
): Promise<void> {
  const series: { resolution: Resolution; count: number; countOfKeys: number }[] = [
    { resolution: "minute", count: 30 * 24 * 60, countOfKeys: 60 },
    { resolution: "hour", count: 30 * 24, countOfKeys: 7 * 24 },
    { resolution: "day", count: 30, countOfKeys: 30 },
  ];
  const usage: UsageRow[] = [];
  const latency: LatencyRow[] = [];
  for (const { resolution, count, countOfKeys } of series) {
    const times = lastOf(resolution, count + 1, now).slice(0, -1);
    for (const [i, at] of times.entries()) {
      const requests = perMinute * traffic(at, resolution) * (lengthOf[resolution] / 60_000);
      usage.push(...usageRows(resolution, at, TOTAL, requests));
      for (const milliseconds of latencies) {
        latency.push({
          resolution,
          at,
          bucket: bucketOf(milliseconds),
          count: Math.round(requests / latencies.length),
        });
      }
      for (const [plan, ofPlan] of Map.groupBy(shares, ({ plan }) => plan)) {
        const share = ofPlan.reduce((sum, one) => sum + one.share, 0);
        usage.push(planRow(usageRows(resolution, at, totalOf(plan), requests * share)));
      }
      if (i < times.length - countOfKeys) continue;
      for (const { keyId, share } of shares) usage.push(...usageRows(resolution, at, keyId, requests * share));
    }
  }
  await store.add({ writer: "history", number: 1, at: now, usage, latency });
}

function usageRows(resolution: Resolution, at: number, who: string, total: number): UsageRow[] {
  return operations.map(([operation, share, [clientErrors, rateLimited, serverErrors]]) => {
    const requests = total * share;
    const burst = noise(at, 3) > 0.93 ? 6 : 1;
    const [bad, limited, broken] = [
      Math.round(requests * clientErrors),
      Math.round(requests * rateLimited * burst),
      Math.round(requests * serverErrors),
    ] as const;
    const good = Math.max(0, Math.round(requests) - bad - limited - broken);
    return { resolution, at, who, operation, counts: [good, bad, limited, broken, 0] };
  });
}

/** The sum of the rows of a plan, which are not by operation. */
function planRow(rows: UsageRow[]): UsageRow {
  const [first] = rows;
  if (first === undefined) throw new Error("a plan without rows");
  const counts = first.counts.map((_, i) => rows.reduce((sum, row) => sum + (row.counts[i] ?? 0), 0));
  return { ...first, operation: "*", counts };
}

/** A factor of the traffic: high by day and on weekdays, low by night, with some noise. */
function traffic(at: number, resolution: Resolution): number {
  const hour = (at / 3_600_000) % 24;
  const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
  const ofDay = resolution === "day" ? 1 : 0.75 + 0.6 * Math.sin(((hour - 7) / 24) * 2 * Math.PI);
  return ofDay * (isWeekend ? 0.62 : 1) * (0.88 + 0.24 * noise(at, 1));
}

/** A pseudo-random number from 0 to 1, always the same for the same arguments. */
function noise(at: number, salt: number): number {
  const value = Math.sin((at / 60_000) * 12.9898 + salt * 78.233) * 43_758.5453;
  return value - Math.floor(value);
}

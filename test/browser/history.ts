import type { Database } from "../../src/adapters/sqlite/database.ts";
import { SqliteUsage } from "../../src/adapters/sqlite/usage.ts";
import { bucketOf } from "../../src/domain/usage/latency.ts";
import { lastOf, lengthOf, type Resolution } from "../../src/domain/usage/resolution.ts";
import { type LatencyRow, TOTAL, type UsageRow } from "../../src/domain/usage/roll-up.ts";

/** How much of everybody's use is with a key. */
export type Part = { keyId: string; part: number };

/** What of a hundred requests is of an operation, and what becomes of it: answered, mistaken, refused, failed. */
const mix: [operation: string, number, [number, number, number]][] = [
  ["listPets", 0.71, [0.008, 0.025, 0.00002]],
  ["createPet", 0.2, [0.03, 0.02, 0.00008]],
  ["getPet", 0.07, [0.05, 0.01, 0]],
  ["getUsage", 0.015, [0, 0, 0]],
  ["other", 0.005, [1, 0, 0]],
];
const durations = [0.2, 0.3, 0.35, 0.4, 0.5, 0.6, 0.8, 1.1, 2.4, 7.5];

/** Keeps thirty days of use up to `now` (Unix ms): by the minute, hour and day for everybody, and for these keys by what is shown of them. */
export async function keepHistory(database: Database, now: number, aMinute: number, parts: Part[]): Promise<void> {
  const stretches: [Resolution, number, number][] = [
    ["minute", 30 * 24 * 60, 60],
    ["hour", 30 * 24, 24],
    ["day", 30, 30],
  ];
  const usage: UsageRow[] = [];
  const latency: LatencyRow[] = [];
  for (const [resolution, count, ofKeys] of stretches) {
    const moments = lastOf(resolution, count + 1, now).slice(0, -1);
    for (const [i, at] of moments.entries()) {
      const requests = aMinute * rhythm(at, resolution) * (lengthOf[resolution] / 60_000);
      usage.push(...rowsOf(resolution, at, TOTAL, requests));
      for (const duration of durations) {
        latency.push({ resolution, at, bucket: bucketOf(duration), count: Math.round(requests / durations.length) });
      }
      if (i < moments.length - ofKeys) continue;
      for (const { keyId, part } of parts) usage.push(...rowsOf(resolution, at, keyId, requests * part));
    }
  }
  await new SqliteUsage(database).add({ writer: "history", number: 1, at: now, usage, latency });
}

function rowsOf(resolution: Resolution, at: number, who: string, requests: number): UsageRow[] {
  return mix.map(([operation, part, [mistaken, refused, failed]]) => {
    const all = requests * part;
    const storm = waver(at, 3) > 0.93 ? 6 : 1;
    const [bad, limited, broken] = [all * mistaken, all * refused * storm, all * failed].map(Math.round);
    const good = Math.max(0, Math.round(all) - (bad ?? 0) - (limited ?? 0) - (broken ?? 0));
    return { resolution, at, who, operation, counts: [good, bad ?? 0, limited ?? 0, broken ?? 0, 0] };
  });
}

/** Much by day and on weekdays, little by night; never quite the same. */
function rhythm(at: number, resolution: Resolution): number {
  const hour = (at / 3_600_000) % 24;
  const isWeekend = [0, 6].includes(new Date(at).getUTCDay());
  const byDay = resolution === "day" ? 1 : 0.75 + 0.6 * Math.sin(((hour - 7) / 24) * 2 * Math.PI);
  return byDay * (isWeekend ? 0.62 : 1) * (0.88 + 0.24 * waver(at, 1));
}

/** From 0 to 1, by chance as it seems, and always the same for the same moment. */
function waver(at: number, salt: number): number {
  const turned = Math.sin((at / 60_000) * 12.9898 + salt * 78.233) * 43_758.5453;
  return turned - Math.floor(turned);
}

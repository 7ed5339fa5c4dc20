import type { z } from "zod";
import type { Clock } from "../../../domain/clock.ts";
import { stateOf } from "../../../domain/keys/state.ts";
import type { KeyStore } from "../../../domain/keys/store.ts";
import type { Limiter } from "../../../domain/limits/limiter.ts";
import { timestampOf } from "../../../domain/timestamp.ts";
import { type Latency, overview, type Summary } from "../../../domain/usage/overview.ts";
import type { UsageStore } from "../../../domain/usage/store.ts";
import { withLimitStatus } from "./limit-status.ts";
import { answer, type Handler } from "./request-context.ts";
import type { KeyCounts, Overview, Summary as SummarySchema } from "./schemas.ts";
import { pointOnTheWire } from "./usage.ts";

type Parts = { keys: KeyStore; usage: UsageStore; standing: Limiter["status"]; clock: Clock };

/** How the service is doing, now and over the last hour, day and month. */
export function overviewHandlers({ keys, usage, standing, clock }: Parts) {
  const show: Handler = async ({ env }) => {
    const now = clock();
    const [told, counts] = await Promise.all([overview(usage, now), countKeys()]);
    const { requests, byClass, bans } = told.ever;
    const body: z.infer<typeof Overview> = {
      now: timestampOf(now),
      live: {
        ...summaryOnTheWire(told.live),
        seconds: (now - (told.live.points[0]?.at ?? now)) / 1000,
        total: { requests, byClass, refusals: byClass["429"], bans },
      },
      hour: summaryOnTheWire(told.hour),
      day: summaryOnTheWire(told.day),
      month: summaryOnTheWire(told.month),
      keys: counts,
    };
    return answer(env, 200, body);
  };

  async function countKeys(): Promise<z.infer<typeof KeyCounts>> {
    const known = await withLimitStatus(await keys.list(), standing);
    const now = clock();
    const counts = { total: known.length, active: 0, banned: 0, expired: 0, revoked: 0 };
    for (const { key, limitStatus } of known) counts[stateOf(key, limitStatus?.ban, now)] += 1;
    return counts;
  }

  return { show };
}

function summaryOnTheWire({ points, sum, latency }: Summary): z.infer<typeof SummarySchema> {
  const { requests, byClass, bans } = sum;
  return {
    requests,
    byClass,
    refusals: byClass["429"],
    bans,
    latency: latencyOnTheWire(latency),
    points: points.map(pointOnTheWire),
  };
}

function latencyOnTheWire({ p50, p95, p99 }: Latency) {
  const rounded = (milliseconds: number | undefined) =>
    milliseconds === undefined ? null : Number(milliseconds.toPrecision(3));
  return { p50: rounded(p50), p95: rounded(p95), p99: rounded(p99) };
}

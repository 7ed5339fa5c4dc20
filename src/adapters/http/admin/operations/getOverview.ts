import { z } from "zod";
import { Inventory } from "../../../../domain/pets/inventory.ts";
import { reference } from "../../../../domain/reference.ts";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { overview, type Summary as UsageSummary } from "../../../../domain/usage/overview.ts";
import { count, timestamp } from "../fields.ts";
import { exampleLatency, latency, latencyJson } from "../latency.ts";
import { OrderCounts } from "../order.ts";
import { json } from "../request-context.ts";
import { total as counted, examplePoint, exampleTotal, Point, pointJson, totalJson } from "../usage.ts";
import { operation } from "./operation.ts";

const summary = {
  ...counted,
  latency,
  points: z.array(Point).meta({ description: "Point by point, oldest first; the last one is not complete." }),
};
const Summary = z.strictObject(summary).meta({ id: "Summary", description: "The requests in a period." });

const exampleSummary = { ...exampleTotal, latency: exampleLatency, points: [examplePoint] };

const Live = z
  .strictObject({
    ...summary,
    seconds: z.number().min(0).meta({ description: "The length of this period until now: 60 to 120 seconds." }),
    total: z.strictObject(counted).meta({
      description: "The sum of all periods. The difference of two responses is the number of requests between them.",
    }),
  })
  .meta({ id: "Live", description: "The current minute and the one before it." });

const KeyCounts = z
  .strictObject({
    ...{ total: count, active: count, banned: count, disabled: count, expired: count, revoked: count },
    rehearsing: count.meta({ description: "Those of all states that have a simulation." }),
  })
  .meta({ id: "KeyCounts", description: "The number of keys by state. A ban counts within a second." });

export const Overview = z
  .strictObject({
    now: timestamp,
    live: Live,
    hour: reference(Summary).meta({ description: "The last 60 minutes." }),
    day: reference(Summary).meta({ description: "The last 24 hours." }),
    month: reference(Summary).meta({ description: "The last 30 days." }),
    keys: KeyCounts,
    pets: reference(Inventory),
    orders: reference(OrderCounts),
  })
  .meta({
    id: "Overview",
    description:
      "The requests, keys, pets and orders of the service; requests are at most two seconds old, or ten while thousands of keys are in use.",
    examples: [
      {
        now: "2026-12-02T10:00:30.250Z",
        live: { ...exampleSummary, seconds: 90.25, total: exampleTotal },
        hour: exampleSummary,
        day: exampleSummary,
        month: exampleSummary,
        keys: { total: 3, active: 2, banned: 1, disabled: 0, expired: 0, revoked: 0, rehearsing: 0 },
        pets: { available: 12, pending: 3, sold: 5 },
        orders: { placed: 2, approved: 1, delivered: 40, cancelled: 3 },
      },
    ],
  });

/** GET /overview */
export const getOverview = operation({
  id: "getOverview",
  method: "get",
  path: "/overview",
  role: "viewer",
  tag: "usage",
  summary: "Get the overview",
  description:
    "Returns the requests of the current minute and of the last hour, day and month, and the numbers of keys, pets and orders.",
  answers: { 200: { description: "The overview.", schema: Overview } },
  handle:
    (services) =>
    async ({ context }) => {
      const now = services.clock();
      const [keys, usage, pets, orders] = await Promise.all([
        services.keys.counts(now),
        overview(services.usage, now),
        services.pets.inventory(),
        services.orders.counts(),
      ]);
      const total = Object.values(keys.byState).reduce((sum, count) => sum + count, 0);
      const body: z.infer<typeof Overview> = {
        now: timestampOf(now),
        live: {
          ...summaryJson(usage.live),
          seconds: (now - (usage.live.points[0]?.at ?? now)) / 1000,
          total: totalJson(usage.ever),
        },
        hour: summaryJson(usage.hour),
        day: summaryJson(usage.day),
        month: summaryJson(usage.month),
        keys: { total, ...keys.byState, rehearsing: keys.rehearsing },
        pets,
        orders,
      };
      return json(context, 200, body);
    },
});

function summaryJson({ points, sum, latency }: UsageSummary): z.infer<typeof Summary> {
  return { ...totalJson(sum), latency: latencyJson(latency), points: points.map(pointJson) };
}

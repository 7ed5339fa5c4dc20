import { z } from "zod";
import { latencyIn } from "../../../../domain/usage/overview.ts";
import { TOTAL } from "../../../../domain/usage/roll-up.ts";
import { exampleLatency, latency, latencyJson } from "../latency.ts";
import { json } from "../request-context.ts";
import { examplePoint, exampleRange, rangeOf, UsageQuery, UsageSeries, usageSeries } from "../usage.ts";
import { operation } from "./operation.ts";

export const UsageOfAll = z.strictObject({ ...UsageSeries.shape, latency }).meta({
  id: "UsageOfAll",
  description: "The requests to the public interface, point by point, oldest first, and their latency in all.",
  examples: [{ ...exampleRange, points: [examplePoint], latency: exampleLatency }],
});

/** GET /usage */
export const getUsageOfAll = operation({
  id: "getUsageOfAll",
  method: "get",
  path: "/usage",
  role: "viewer",
  tag: "usage",
  summary: "Get the total usage",
  description:
    "Returns the requests of all keys and of unauthenticated clients. Minutes are kept for 30 days, hours for 90 and days for 400; a response has at most 1,500 points.",
  request: { query: UsageQuery },
  answers: { 200: { description: "All requests.", schema: UsageOfAll } },
  handle:
    ({ usage, clock }) =>
    async ({ query, context }) => {
      const selected = rangeOf(query, clock());
      const [series, latency] = await Promise.all([
        usageSeries(usage, TOTAL, selected),
        latencyIn(usage, selected.resolution, selected.moments),
      ]);
      const body: z.infer<typeof UsageOfAll> = { ...series, latency: latencyJson(latency) };
      return json(context, 200, body);
    },
});

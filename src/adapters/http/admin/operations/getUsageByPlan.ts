import { z } from "zod";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { usageByPlan } from "../../../../domain/usage/by-plan.ts";
import { countedPlans } from "../../../../domain/usage/plan-counts.ts";
import { timestamp } from "../fields.ts";
import { json } from "../request-context.ts";
import {
  examplePoint,
  exampleRange,
  exampleTotal,
  range,
  rangeJson,
  rangeOf,
  total,
  totalJson,
  UsageQuery,
} from "../usage.ts";
import { operation } from "./operation.ts";

const PlanUsage = z
  .strictObject({
    plan: z.enum(countedPlans).meta({ description: "none is for requests without a valid key." }),
    ...total,
    points: z.array(z.strictObject({ at: timestamp, ...total })),
  })
  .meta({ id: "PlanUsage", description: "The requests on one plan, in all and point by point, oldest first." });

export const UsageByPlan = z.strictObject({ ...range, plans: z.array(PlanUsage) }).meta({
  id: "UsageByPlan",
  description: "The requests to the public interface by plan, without simulated ones.",
  examples: [
    { ...exampleRange, plans: [{ plan: "pro", ...exampleTotal, points: [{ at: examplePoint.at, ...exampleTotal }] }] },
  ],
});

/** GET /usage/plans */
export const getUsageByPlan = operation({
  id: "getUsageByPlan",
  method: "get",
  path: "/usage/plans",
  role: "viewer",
  tag: "usage",
  summary: "Get the usage by plan",
  description:
    "Returns the requests of each plan. A request counts for the plan that its key had then, even if it has another plan now.",
  request: { query: UsageQuery },
  answers: { 200: { description: "All plans, also those without requests.", schema: UsageByPlan } },
  handle:
    ({ usage, clock }) =>
    async ({ query, context }) => {
      const selected = rangeOf(query, clock());
      const plans = await usageByPlan(usage, selected.resolution, selected.moments);
      const body: z.infer<typeof UsageByPlan> = {
        ...rangeJson(selected),
        plans: plans.map(({ plan, points, sum }) => ({
          plan,
          ...totalJson(sum),
          points: points.map((point) => ({ at: timestampOf(point.at), ...totalJson(point) })),
        })),
      };
      return json(context, 200, body);
    },
});

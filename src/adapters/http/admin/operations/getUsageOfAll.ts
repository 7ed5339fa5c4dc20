import { TOTAL } from "../../../../domain/usage/roll-up.ts";
import { json } from "../request-context.ts";
import { UsageQuery, UsageSeries, usageSeries } from "../usage.ts";
import { operation } from "./operation.ts";

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
  answers: { 200: { description: "All requests.", schema: UsageSeries } },
  handle:
    (services) =>
    async ({ query, context }) =>
      json(context, 200, await usageSeries(services, TOTAL, query)),
});

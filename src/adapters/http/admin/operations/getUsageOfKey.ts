import { PetstoreError } from "../../../../domain/errors.ts";
import { KeyPath } from "../key.ts";
import { json } from "../request-context.ts";
import { rangeOf, UsageQuery, UsageSeries, usageSeries } from "../usage.ts";
import { operation } from "./operation.ts";

/** GET /keys/{id}/usage */
export const getUsageOfKey = operation({
  id: "getUsageOfKey",
  method: "get",
  path: "/keys/{id}/usage",
  role: "viewer",
  tag: "usage",
  summary: "Get a key's usage",
  description: "Returns the requests of a key by minute, hour or day: at most 1,500 points.",
  request: { params: KeyPath, query: UsageQuery },
  answers: { 200: { description: "The key's requests.", schema: UsageSeries } },
  refusals: ["key_not_found"],
  handle:
    ({ keys, usage, clock }) =>
    async ({ params, query, context }) => {
      if ((await keys.get(params.id)) === undefined) throw new PetstoreError("key_not_found");
      return json(context, 200, await usageSeries(usage, params.id, rangeOf(query, clock())));
    },
});

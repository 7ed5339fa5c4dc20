import { z } from "zod";
import { ownerJson } from "../../../../domain/keys/json.ts";
import { plans } from "../../../../domain/limits/plans.ts";
import { rankings } from "../../../../domain/usage/ranking.ts";
import { MOST_KEYS, topKeys } from "../../../../domain/usage/top-keys.ts";
import { pageLimit } from "../../parameters.ts";
import { exampleKey, KeyOwner } from "../key.ts";
import { json } from "../request-context.ts";
import { exampleRange, exampleTotal, range, rangeJson, rangeOf, total, totalJson, UsageQuery } from "../usage.ts";
import { operation } from "./operation.ts";

const TopKeysQuery = UsageQuery.extend({
  sort: z
    .enum(rankings, { error: `must be one of ${rankings.join(", ")}` })
    .default("requests")
    .meta({ description: "What keys are compared by; the largest comes first." }),
  limit: pageLimit(MOST_KEYS, 10),
});

const TopKey = z
  .strictObject({
    keyId: z.string(),
    keyName: z.string(),
    owner: KeyOwner.nullable(),
    plan: z.enum(plans).meta({ description: "The present one." }),
    ...total,
  })
  .meta({ id: "TopKey", description: "The requests of a key in a range of time." });

const exampleTopKey = {
  ...{ keyId: "key_4kTn0aWq7JbYcX2z", keyName: "My app", owner: exampleKey.owner, plan: "pro" },
  ...exampleTotal,
};

export const TopKeys = z.strictObject({ ...range, keys: z.array(TopKey) }).meta({
  id: "TopKeys",
  description: "The keys with the most requests, or refusals, in a range of time, without simulated requests.",
  examples: [{ ...exampleRange, keys: [exampleTopKey] }],
});

/** GET /usage/keys */
export const listTopKeys = operation({
  id: "listTopKeys",
  method: "get",
  path: "/usage/keys",
  role: "viewer",
  tag: "usage",
  summary: "List the busiest keys",
  description:
    "Lists the keys with the most requests in a range, or with the most refusals. Counts are exact. Only keys that are among the hundred busiest of an hour or a day of the range, with one of their operations, are compared.",
  request: { query: TopKeysQuery },
  answers: { 200: { description: "The busiest keys.", schema: TopKeys } },
  handle:
    ({ usage, keys, clock }) =>
    async ({ query: { sort, limit, ...query }, context }) => {
      const selected = rangeOf(query, clock());
      const top = await topKeys(usage, selected, sort, limit);
      const found = await Promise.all(top.map(async (each) => ({ ...each, stored: await keys.get(each.keyId) })));
      const body: z.infer<typeof TopKeys> = {
        ...rangeJson(selected),
        keys: found.flatMap(({ keyId, sum, stored }) => {
          if (stored === undefined) return [];
          const { name, owner, plan } = stored.key;
          return [{ keyId, keyName: name, owner: ownerJson(owner), plan, ...totalJson(sum) }];
        }),
      };
      return json(context, 200, body);
    },
});

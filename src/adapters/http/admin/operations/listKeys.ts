import { z } from "zod";
import { keyJson } from "../../../../domain/keys/json.ts";
import { CURSOR, cursorOf, type KeyFilter, matches, newestFirst, positionOf } from "../../../../domain/keys/listing.ts";
import { stateOf, states } from "../../../../domain/keys/state.ts";
import type { KeyWithSecrets } from "../../../../domain/keys/store.ts";
import { plans } from "../../../../domain/limits/plans.ts";
import { listOf, pageLimit, parsed } from "../../parameters.ts";
import { count } from "../fields.ts";
import { Key } from "../key.ts";
import { allWithLimitStatus } from "../limit-status.ts";
import { json } from "../request-context.ts";
import { operation, type Services } from "./operation.ts";

const KeysQuery = z.object({
  limit: pageLimit(200, 50),
  after: parsed(positionOf, "must be the next of an earlier page")
    .optional()
    .meta({
      type: "string",
      pattern: CURSOR.source,
      description: "The `next` of the previous page.",
      examples: ["1795000000000.key_4kTn0aWq7JbYcX2z"],
    }),
  search: z
    .string()
    .max(100, { error: "must be 100 characters at most" })
    .optional()
    .meta({
      description: "Only keys whose id, name or last four characters contain this text.",
      examples: ["My app"],
    }),
  plan: listOf(plans).optional(),
  state: listOf(states).optional(),
});

export const Keys = z
  .strictObject({
    keys: z.array(Key),
    next: z.string().nullable().meta({ description: "The `after` of the next page; null on the last page." }),
    total: count.meta({ description: "The number of matching keys on all pages." }),
  })
  .meta({
    id: "Keys",
    description: "A page of keys, newest first.",
    examples: [{ keys: [], next: null, total: 0 }],
  });

/** GET /keys */
export const listKeys = operation({
  id: "listKeys",
  method: "get",
  path: "/keys",
  role: "viewer",
  tag: "keys",
  summary: "List keys",
  description: "Lists keys, newest first, each with what it has used of its limits now.",
  request: { query: KeysQuery },
  answers: { 200: { description: "A page of keys.", schema: Keys } },
  handle:
    (services) =>
    async ({ query, context }) => {
      const { limit, after, ...filter } = query;
      const matching = await find(services, filter);
      const rest = after === undefined ? matching : matching.filter(({ key }) => newestFirst(after, key) < 0);
      const page = await allWithLimitStatus(rest.slice(0, limit), services.limitStatus);
      const last = rest.length > page.length ? page.at(-1) : undefined;
      const now = services.clock();
      return json(context, 200, {
        keys: page.map((key) => keyJson(key, now)),
        next: last === undefined ? null : cursorOf(last.key),
        total: matching.length,
      });
    },
});

/** The keys that the filter selects, newest first. Limits are looked up only when the filter names states. */
async function find({ keys, limitStatus, clock }: Services, filter: KeyFilter): Promise<KeyWithSecrets[]> {
  const all = (await keys.list()).toSorted((a, b) => newestFirst(a.key, b.key));
  if (filter.state === undefined) return all.filter((key) => matches(key, "active", filter));
  const now = clock();
  const found = await allWithLimitStatus(all, limitStatus);
  return found.filter((one) => matches(one, stateOf(one.key, one.limitStatus?.ban, now), filter));
}

import { z } from "zod";
import { keyJson } from "../../../../domain/keys/json.ts";
import { CURSOR, cursorOf, positionOf } from "../../../../domain/keys/listing.ts";
import { OWNER_RULE, parseOwner } from "../../../../domain/keys/owner.ts";
import { states } from "../../../../domain/keys/state.ts";
import { plans } from "../../../../domain/limits/plans.ts";
import { listOf, pageLimit, parsed } from "../../parameters.ts";
import { count } from "../fields.ts";
import { flag } from "../file.ts";
import { exampleKey, Key } from "../key.ts";
import { allWithLimitStatus } from "../limit-status.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** How far keys are counted that no index counts: to count all of 100,000 keys takes tens of milliseconds. */
const MOST_COUNTED = 1_000;

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
      description: "Only keys whose id, name, owner or last four characters contain this text.",
      examples: ["My app"],
    }),
  owner: parsed(parseOwner, OWNER_RULE)
    .optional()
    .meta({
      type: "string",
      description: "Only keys of the owner with this e-mail address, or of those with this name, in any case.",
      examples: ["ada@example.org"],
    }),
  plan: listOf(plans).optional(),
  state: listOf(states).optional().meta({ description: "A ban counts within a second after it begins." }),
  rehearsing: flag("`true` for only the keys that have a simulation."),
  sort: z.enum(["newest", "owner"], { error: "must be newest or owner" }).default("newest").meta({
    description: "By age, the newest first; or by owner, those without one last, and for each the oldest first.",
  }),
});

export const Keys = z
  .strictObject({
    keys: z.array(Key),
    next: z.string().nullable().meta({ description: "The `after` of the next page; null on the last page." }),
    total: count.meta({ description: "The number of matching keys on all pages." }),
    totalIsExact: z.boolean().meta({
      description: `False if more than \`total\` keys match. A search, and filters other than by state, count no further than ${MOST_COUNTED}.`,
    }),
  })
  .meta({
    id: "Keys",
    description: "A page of keys.",
    examples: [{ keys: [exampleKey], next: null, total: 1, totalIsExact: true }],
  });

/** GET /keys */
export const listKeys = operation({
  id: "listKeys",
  method: "get",
  path: "/keys",
  role: "viewer",
  tag: "keys",
  summary: "List keys",
  description: "Lists keys, newest first or by owner, each with what it has used of its limits now.",
  request: { query: KeysQuery },
  answers: { 200: { description: "A page of keys.", schema: Keys } },
  handle:
    (services) =>
    async ({ query, context }) => {
      const { limit, after, sort: order, rehearsing: isRehearsing, ...others } = query;
      const asked = { ...others, isRehearsing, order, limit: limit + 1, after };
      const now = services.clock();
      const { keys: found, count: counted } = await services.keys.listCounted(asked, now, MOST_COUNTED);
      const page = await allWithLimitStatus(found.slice(0, limit), services.limitStatus);
      const last = found.length > page.length ? page.at(-1) : undefined;
      return json(context, 200, {
        keys: page.map((key) => keyJson(key, now)),
        next: last === undefined ? null : cursorOf(last.key),
        total: counted.total,
        totalIsExact: counted.isExact,
      });
    },
});

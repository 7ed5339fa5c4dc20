import { z } from "zod";
import {
  type Caller as CallerOf,
  callerCursorOf,
  callerOrders,
  callerPositionOf,
} from "../../../../domain/keys/callers.ts";
import { ownerJson } from "../../../../domain/keys/json.ts";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { pageLimit, parsed } from "../../parameters.ts";
import { deprecatedOperation } from "../deprecated-operation.ts";
import { count, timestamp } from "../fields.ts";
import { exampleKey, KeyOwner } from "../key.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const CallersQuery = z.object({
  limit: pageLimit(200, 50),
  after: parsed(callerPositionOf, "must be the next of an earlier page")
    .optional()
    .meta({ type: "string", description: "The `next` of the previous page." }),
  operation: deprecatedOperation,
  sort: z
    .enum(callerOrders, { error: `must be one of ${callerOrders.join(", ")}` })
    .default("lastCalledAt")
    .meta({ description: "In descending order." }),
});

const Caller = z
  .strictObject({
    operation: z.string(),
    keyId: z.string(),
    keyName: z.string(),
    owner: KeyOwner.nullable(),
    calls: count,
    lastCalledAt: timestamp,
    userAgent: z.string().nullable().meta({ description: "The User-Agent of the last call, if it had one." }),
  })
  .meta({ id: "Caller", description: "A key that calls a deprecated operation." });

export const Callers = z
  .strictObject({
    callers: z.array(Caller),
    next: z.string().nullable().meta({ description: "The `after` of the next page; null on the last page." }),
  })
  .meta({
    id: "Callers",
    description: "A page of the callers of deprecated operations.",
    examples: [
      {
        callers: [
          {
            operation: "getPet",
            keyId: "key_4kTn0aWq7JbYcX2z",
            keyName: "My app",
            owner: exampleKey.owner,
            calls: 12,
            lastCalledAt: "2026-12-02T10:00:00.250Z",
            userAgent: "my-app/1.0",
          },
        ],
        next: null,
      },
    ],
  });

/** GET /deprecations/callers */
export const listCallers = operation({
  id: "listCallers",
  method: "get",
  path: "/deprecations/callers",
  role: "viewer",
  tag: "usage",
  summary: "List callers of deprecated operations",
  description: "Lists the keys that call deprecated operations, the most recent first, or those with the most calls.",
  request: { query: CallersQuery },
  answers: { 200: { description: "A page of callers.", schema: Callers } },
  handle:
    ({ counters }) =>
    async ({ query, context }) => {
      const { sort, limit, ...selection } = query;
      const found = await counters.callers({ ...selection, order: sort, limit: limit + 1 });
      const page = found.slice(0, limit);
      const last = found.length > page.length ? page.at(-1) : undefined;
      return json(context, 200, { callers: page.map(callerJson), next: last ? callerCursorOf(last) : null });
    },
});

function callerJson({ owner, lastCalledAt, userAgent, ...caller }: CallerOf): z.infer<typeof Caller> {
  return { ...caller, owner: ownerJson(owner), lastCalledAt: timestampOf(lastCalledAt), userAgent: userAgent ?? null };
}

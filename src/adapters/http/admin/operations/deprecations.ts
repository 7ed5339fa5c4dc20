import { z } from "zod";
import { MAX_NAME_LENGTH } from "../../../../domain/keys/key.ts";
import {
  type Caller as CallerOf,
  callerCursorOf,
  callerOrders,
  callerPositionOf,
  MAX_USER_AGENT_LENGTH,
  ownerJson,
} from "../../../../domain/keys/store.ts";
import { timestampOf } from "../../../../domain/time.ts";
import { operations } from "../../operations/index.ts";
import { count, pageLimit, parsed, text, timestamp } from "../../parameters.ts";
import { json } from "../../request.ts";
import { id, NEXT } from "../fields.ts";
import { exampleCallers, fileResponse } from "../files.ts";
import { exampleKey, KeyOwner } from "./keys.ts";
import { operation } from "./operation.ts";

const deprecatedOperations = operations.flatMap(({ id, method, path, deprecated }) =>
  deprecated === undefined ? [] : [{ id, method, path, ...deprecated }],
);

const ids = deprecatedOperations.map(({ id }) => id);

/** The query parameter that selects the callers of one deprecated operation. */
const deprecatedOperation = z
  .enum(ids, { error: `must be one of ${ids.join(", ")}` })
  .optional()
  .meta({ description: "Only callers of this operation." });

const DAY = 86_400_000;

export const Deprecations = z
  .strictObject({
    operations: z
      .array(
        z.strictObject({
          operation: z.string(),
          method: z.string(),
          path: z.string(),
          deprecatedAt: timestamp,
          removedAt: timestamp,
          daysLeft: count,
          replacement: z.string(),
          callers: count.meta({ description: "The number of keys that call it." }),
          calls: count.meta({ description: "The number of their calls." }),
        }),
      )
      .max(deprecatedOperations.length),
  })
  .meta({
    id: "Deprecations",
    description: "The deprecated operations, with how often they are called.",
    examples: [
      {
        operations: [
          {
            operation: "getPet",
            method: "GET",
            path: "/pets/{petId}",
            deprecatedAt: "2026-11-20T00:00:00.000Z",
            removedAt: "2030-12-05T00:00:00.000Z",
            daysLeft: 1_464,
            replacement: "GET /v1/pets?ids={petId}",
            callers: 1,
            calls: 12,
          },
        ],
      },
    ],
  });

export const listDeprecations = operation({
  id: "listDeprecations",
  route: "GET /deprecations",
  role: "viewer",
  tag: "usage",
  summary: "List deprecated operations",
  description: "Lists the deprecated operations, with the number of keys that call them, and of their calls.",
  answers: { 200: { description: "The deprecated operations.", schema: Deprecations } },
  handle: async ({ counters, clock }, { context }) => {
    const now = clock();
    const deprecations = deprecatedOperations.map(async ({ id, method, path, ...deprecated }) => {
      const { deprecatedAt, removedAt, replacement } = deprecated;
      return {
        operation: id,
        method: method.toUpperCase(),
        path,
        deprecatedAt: timestampOf(deprecatedAt),
        removedAt: timestampOf(removedAt),
        daysLeft: Math.max(0, Math.ceil((removedAt - now) / DAY)),
        replacement,
        ...(await counters.callTotal(id)),
      };
    });
    return json(context, 200, { operations: await Promise.all(deprecations) } satisfies z.infer<typeof Deprecations>);
  },
});

const MAX_PAGE = 200;
const MAX_CURSOR_LENGTH = 200;

const CallersQuery = z.object({
  limit: pageLimit(MAX_PAGE, 50),
  after: parsed(callerPositionOf, "must be the next of an earlier page").optional().meta({
    type: "string",
    minLength: 1,
    maxLength: MAX_CURSOR_LENGTH,
    description: "The `next` of the previous page.",
  }),
  operation: deprecatedOperation,
  sort: z
    .enum(callerOrders, { error: `must be one of ${callerOrders.join(", ")}` })
    .default("lastCalledAt")
    .meta({ description: "In descending order." }),
});

const Caller = z
  .strictObject({
    operation: z.string(),
    keyId: id,
    keyName: text(MAX_NAME_LENGTH),
    owner: KeyOwner.nullable(),
    calls: count,
    lastCalledAt: timestamp,
    userAgent: text(MAX_USER_AGENT_LENGTH)
      .nullable()
      .meta({ description: "The User-Agent of the last call, if it had one." }),
  })
  .meta({ id: "Caller", description: "A key that calls a deprecated operation." });

export const Callers = z
  .strictObject({
    callers: z.array(Caller).max(MAX_PAGE),
    next: text(MAX_CURSOR_LENGTH).nullable().meta({ description: NEXT }),
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
        next: "1796205600250.12.key_4kTn0aWq7JbYcX2z.getPet",
      },
    ],
  });

export const listCallers = operation({
  id: "listCallers",
  route: "GET /deprecations/callers",
  role: "viewer",
  tag: "usage",
  summary: "List callers of deprecated operations",
  description: "Lists the keys that call deprecated operations, the most recent first, or those with the most calls.",
  request: { query: CallersQuery },
  answers: { 200: { description: "A page of callers.", schema: Callers } },
  handle: async ({ counters }, { query, context }) => {
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

export const exportCallers = operation({
  id: "exportCallers",
  route: "GET /deprecations/callers/export",
  role: "viewer",
  tag: "usage",
  summary: "Export callers of deprecated operations",
  description:
    "Returns all keys that call deprecated operations as a CSV file. Text that a spreadsheet would run as a formula begins with an apostrophe.",
  request: { query: z.object({ operation: deprecatedOperation }) },
  answers: { 200: { description: "The file.", types: ["text/csv"], examples: exampleCallers } },
  handle: (services, { query, context }) =>
    fileResponse(context, "callers", "csv", services.exportCallers(query.operation)),
});

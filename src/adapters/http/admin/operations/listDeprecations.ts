import { z } from "zod";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { deprecatedOperations } from "../deprecated-operation.ts";
import { count, timestamp } from "../fields.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const DAY = 86_400_000;

export const Deprecations = z
  .strictObject({
    operations: z.array(
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
    ),
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

/** GET /deprecations */
export const listDeprecations = operation({
  id: "listDeprecations",
  method: "get",
  path: "/deprecations",
  role: "viewer",
  tag: "usage",
  summary: "List deprecated operations",
  description: "Lists the deprecated operations, with the number of keys that call them, and of their calls.",
  answers: { 200: { description: "The deprecated operations.", schema: Deprecations } },
  handle:
    ({ counters, clock }) =>
    async ({ context }) => {
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

import { z } from "zod";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { getPetEnd } from "../../deprecation.ts";
import { count, timestamp } from "../fields.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const DAY = 86_400_000;

const Caller = z
  .strictObject({
    keyId: z.string(),
    keyName: z.string(),
    calls: count,
    lastCalledAt: timestamp,
    userAgent: z.string().nullable().meta({ description: "The User-Agent of the last call, if it had one." }),
  })
  .meta({ id: "Caller", description: "A key that calls a deprecated operation." });

export const Deprecations = z
  .strictObject({
    operations: z.array(
      z.strictObject({
        operation: z.string(),
        deprecatedAt: timestamp,
        removedAt: timestamp,
        daysLeft: count,
        replacement: z.string(),
        callers: z.array(Caller).meta({ description: "The most recent caller comes first." }),
      }),
    ),
  })
  .meta({ id: "Deprecations", description: "The deprecated operations, with the keys that call them." });

/** GET /deprecations */
export const listDeprecations = operation({
  id: "listDeprecations",
  method: "get",
  path: "/deprecations",
  role: "viewer",
  tag: "usage",
  summary: "List deprecated operations",
  description: "Lists the deprecated operations, with the keys that call them and how often.",
  answers: { 200: { description: "The deprecated operations.", schema: Deprecations } },
  handle:
    ({ keys, counters, clock }) =>
    async ({ context }) => {
      const [calls, all] = await Promise.all([counters.deprecatedCalls(), keys.list()]);
      const names = new Map(all.map(({ key }) => [key.id, key.name]));
      const { operation, deprecatedAt, removedAt, replacement } = getPetEnd;
      const callers = [...(calls.get(operation) ?? [])]
        .toSorted(([, a], [, b]) => b.lastCalledAt - a.lastCalledAt)
        .map(([keyId, { calls, lastCalledAt, userAgent }]) => ({
          keyId,
          keyName: names.get(keyId) ?? "",
          calls,
          lastCalledAt: timestampOf(lastCalledAt),
          userAgent: userAgent ?? null,
        }));
      const daysLeft = Math.max(0, Math.ceil((removedAt - clock()) / DAY));
      const times = { deprecatedAt: timestampOf(deprecatedAt), removedAt: timestampOf(removedAt) };
      const body: z.infer<typeof Deprecations> = {
        operations: [{ operation, ...times, daysLeft, replacement, callers }],
      };
      return json(context, 200, body);
    },
});

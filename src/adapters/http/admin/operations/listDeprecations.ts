import { z } from "zod";
import type { DeprecatedCalls } from "../../../../domain/keys/activity.ts";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { operations as publicOperations } from "../../operations/index.ts";
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
        method: z.string(),
        path: z.string(),
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
      const now = clock();
      const deprecations = publicOperations.flatMap(({ id, method, path, deprecated }) => {
        if (deprecated === undefined) return [];
        const { deprecatedAt, removedAt, replacement } = deprecated;
        return {
          operation: id,
          method: method.toUpperCase(),
          path,
          deprecatedAt: timestampOf(deprecatedAt),
          removedAt: timestampOf(removedAt),
          daysLeft: Math.max(0, Math.ceil((removedAt - now) / DAY)),
          replacement,
          callers: callersOf(calls.get(id) ?? new Map(), names),
        };
      });
      return json(context, 200, { operations: deprecations } satisfies z.infer<typeof Deprecations>);
    },
});

/** The keys that call an operation, the most recent first. `names`: of keys, by their id. */
function callersOf(calls: Map<string, DeprecatedCalls>, names: Map<string, string>): z.infer<typeof Caller>[] {
  const recentFirst = [...calls].toSorted(([, a], [, b]) => b.lastCalledAt - a.lastCalledAt);
  return recentFirst.map(([keyId, { calls, lastCalledAt, userAgent }]) => ({
    keyId,
    keyName: names.get(keyId) ?? "",
    calls,
    lastCalledAt: timestampOf(lastCalledAt),
    userAgent: userAgent ?? null,
  }));
}

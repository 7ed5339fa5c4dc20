import { z } from "zod";
import { actions } from "../../../../domain/audit/entry.ts";
import { entryJson } from "../../../../domain/audit/json.ts";
import { pageLimit, wholeNumber } from "../../parameters.ts";
import { AuditFilterQuery } from "../audit.ts";
import { count, timestamp } from "../fields.ts";
import { readPage } from "../page.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const AuditQuery = AuditFilterQuery.extend({
  limit: pageLimit(200, 50),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: "Only entries older than this one." }),
});

const AuditEntry = z
  .strictObject({
    id: count,
    at: timestamp,
    operator: z.strictObject({ id: z.string().optional(), name: z.string() }).meta({
      description: "Without `id` for `command line (user)`, `first start` and `unknown`.",
    }),
    action: z.enum(actions),
    target: z.string().nullable().meta({ description: "The id of the changed object, if it has one." }),
    before: z.unknown().meta({ description: "The object before the change; null if it was created." }),
    after: z.unknown().meta({ description: "The object after the change." }),
    requestId: z.string().nullable(),
  })
  .meta({ id: "AuditEntry", description: "A change, with its author." });

export const AuditEntries = z
  .strictObject({
    entries: z.array(AuditEntry),
    next: z
      .int()
      .nullable()
      .meta({ type: ["integer", "null"], description: "The `before` of the next page." }),
  })
  .meta({
    id: "AuditEntries",
    description: "Changes, newest first.",
    examples: [
      {
        entries: [
          {
            id: 1,
            at: "2026-12-02T10:00:00.250Z",
            operator: { id: "op_4kTn0aWq7JbYcX2z", name: "Ada" },
            action: "key.update",
            target: "key_4kTn0aWq7JbYcX2z",
            before: { name: "My app", plan: "free" },
            after: { name: "My app", plan: "pro" },
            requestId: "fbd34c95-98f9-491d-b18b-464e794901db",
          },
        ],
        next: null,
      },
    ],
  });

/** GET /audit */
export const listAuditEntries = operation({
  id: "listAuditEntries",
  method: "get",
  path: "/audit",
  role: "viewer",
  tag: "audit",
  summary: "List changes",
  description: "Lists the entries of the audit log that match all given filters, newest first.",
  request: { query: AuditQuery },
  answers: { 200: { description: "A page of the audit log.", schema: AuditEntries } },
  handle:
    ({ audit }) =>
    async ({ query, context }) => {
      const { limit, ...asked } = query;
      const { items, next } = await readPage(limit, (limit) => audit.list({ ...asked, limit }));
      return json(context, 200, { entries: items.map(entryJson), next });
    },
});

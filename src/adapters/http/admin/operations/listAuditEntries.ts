import { z } from "zod";
import { actions, type RecordedEntry } from "../../../../domain/audit/entry.ts";
import { timestampOf } from "../../../../domain/timestamp.ts";
import { pageLimit, wholeNumber } from "../../parameters.ts";
import { count, ID, timestamp } from "../fields.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

const AuditQuery = z.object({
  limit: pageLimit(200, 50),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: "Only entries older than this one." }),
  key: z.string().regex(ID, { error: "must be an id" }).optional().meta({
    description: "Only changes of the key, or the operator, with this id.",
  }),
});

const AuditEntry = z
  .strictObject({
    id: count,
    at: timestamp,
    operator: z.strictObject({ id: z.string().optional(), name: z.string() }).meta({
      description: "Without `id` for changes by `command line (user)` or `first start`.",
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
  .meta({ id: "AuditEntries", description: "Changes, newest first." });

/** GET /audit */
export const listAuditEntries = operation({
  id: "listAuditEntries",
  method: "get",
  path: "/audit",
  role: "viewer",
  tag: "audit",
  summary: "List changes",
  description: "Lists the entries of the audit log, newest first.",
  request: { query: AuditQuery },
  answers: { 200: { description: "A page of the audit log.", schema: AuditEntries } },
  handle:
    ({ audit }) =>
    async ({ query, context }) => {
      const { limit, before, key } = query;
      const found = await audit.list({
        limit: limit + 1,
        ...(before !== undefined && { before }),
        ...(key !== undefined && { target: key }),
      });
      const page = found.slice(0, limit);
      const next = found.length > page.length ? (page.at(-1)?.id ?? null) : null;
      return json(context, 200, { entries: page.map(entryJson), next });
    },
});

/** An entry as JSON. */
export function entryJson({ id, at, operator, action, target, before, after, requestId }: RecordedEntry) {
  return {
    id,
    at: timestampOf(at),
    operator,
    action,
    target: target ?? null,
    before: before ?? null,
    after: after ?? null,
    requestId: requestId ?? null,
  };
}

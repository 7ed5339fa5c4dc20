import { z } from "zod";
import { actions, entryJson } from "../../../../domain/audit.ts";
import { withRaw } from "../../../../domain/files.ts";
import { CONTROLS } from "../../../../domain/text.ts";
import { count, listOf, pageLimit, requestId, time, timestamp, wholeNumber } from "../../parameters.ts";
import { json } from "../../request.ts";
import { id, olderId, readPage } from "../fields.ts";
import { exampleChanges, FileQuery, fileResponse } from "../files.ts";
import { operation } from "./operation.ts";

const MAX_FILTER_LENGTH = 100;
/** Ids and names have no control characters. */
const filter = new RegExp(`^[^${CONTROLS}]{1,${MAX_FILTER_LENGTH}}$`, "u");

/** The filters of the audit log, in a query. */
const text = (description: string) =>
  z
    .string()
    .refine((text) => filter.test(text), {
      error: `must be 1 to ${MAX_FILTER_LENGTH} characters, without control characters`,
    })
    .optional()
    .meta({ description, minLength: 1, maxLength: MAX_FILTER_LENGTH });

export const AuditFilterQuery = z.object({
  operator: text("Only changes by the operator with this id, or by authors with exactly this name."),
  action: listOf(actions).optional().meta({ description: "Only changes of these kinds, separated by commas." }),
  target: text("Only changes of the key, the operator, the pet, the category or the order with this id."),
  from: time.optional().meta({ description: "Only changes at or after this time." }),
  to: time.optional().meta({ description: "Only changes before this time." }),
});

const MAX_PAGE = 200;

const AuditQuery = AuditFilterQuery.extend({
  limit: pageLimit(MAX_PAGE, 50),
  before: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({ description: "Only entries older than this one." }),
});

const AuditEntry = z
  .strictObject({
    id: count,
    at: timestamp,
    operator: z.strictObject({ id: id.optional(), name: z.string() }).meta({
      description: "Without `id` for `command line (user)`, `first start` and `unknown`.",
    }),
    action: z.enum(actions),
    target: z.string().nullable().meta({ description: "The id of the changed object, if it has one." }),
    before: z.unknown().meta({ description: "The object before the change; null if it was created." }),
    after: z.unknown().meta({ description: "The object after the change." }),
    requestId: requestId.nullable(),
  })
  .meta({ id: "AuditEntry", description: "A change, with its author." });

export const AuditEntries = z
  .strictObject({
    entries: z.array(AuditEntry).max(MAX_PAGE),
    next: olderId,
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
        next: 1,
      },
    ],
  });

export const listAuditEntries = operation({
  id: "listAuditEntries",
  route: "GET /audit",
  role: "viewer",
  summary: "List changes",
  description: "Lists the entries of the audit log that match all given filters, newest first.",
  request: { query: AuditQuery },
  answers: { 200: { description: "A page of the audit log.", schema: AuditEntries } },
  handle: async ({ audit }, { query, context }) => {
    const { limit, ...asked } = query;
    const { items, next } = await readPage(limit, (limit) => audit.list({ ...asked, limit }));
    return json(context, 200, { entries: items.map(entryJson), next });
  },
});

export const exportAuditEntries = operation({
  id: "exportAuditEntries",
  route: "GET /audit/export",
  role: "viewer",
  summary: "Export changes",
  description: "Returns the entries of the audit log that match all given filters, newest first, as a file.",
  request: { query: AuditFilterQuery.extend(FileQuery.shape) },
  answers: {
    200: { description: "The file.", types: ["application/x-ndjson", "text/csv"], examples: exampleChanges },
  },
  handle: ({ exportAudit }, { query: { format: name, raw, ...filter }, context }) => {
    const format = withRaw(name, raw);
    return fileResponse(context, "audit", format, exportAudit(filter, format));
  },
});

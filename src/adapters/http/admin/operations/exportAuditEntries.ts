import { AuditFilterQuery } from "../audit.ts";
import { exampleChanges } from "../example-files.ts";
import { FileQuery, fileHeaders, formatOf } from "../file.ts";
import { streamed } from "../streamed.ts";
import { operation } from "./operation.ts";

/** GET /audit/export */
export const exportAuditEntries = operation({
  id: "exportAuditEntries",
  method: "get",
  path: "/audit/export",
  role: "viewer",
  tag: "audit",
  summary: "Export changes",
  description: "Returns the entries of the audit log that match all given filters, newest first, as a file.",
  request: { query: AuditFilterQuery.extend(FileQuery.shape) },
  answers: {
    200: { description: "The file.", types: ["application/x-ndjson", "text/csv"], examples: exampleChanges },
  },
  handle:
    ({ exportAudit }) =>
    ({ query: { format: name, raw, ...filter }, context }) => {
      const format = formatOf({ format: name, raw });
      const headers = { ...context.headers, ...fileHeaders("audit", format) };
      return new Response(streamed(exportAudit(filter, format)), { headers });
    },
});

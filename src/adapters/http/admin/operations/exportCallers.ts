import { z } from "zod";
import { deprecatedOperation } from "../deprecated-operation.ts";
import { exampleCallers } from "../example-files.ts";
import { streamed } from "../streamed.ts";
import { operation } from "./operation.ts";

/** GET /deprecations/callers/export */
export const exportCallers = operation({
  id: "exportCallers",
  method: "get",
  path: "/deprecations/callers/export",
  role: "viewer",
  tag: "usage",
  summary: "Export callers of deprecated operations",
  description:
    "Returns all keys that call deprecated operations as a CSV file. Text that a spreadsheet would run as a formula begins with an apostrophe.",
  request: { query: z.object({ operation: deprecatedOperation }) },
  answers: { 200: { description: "The file.", types: ["text/csv"], examples: exampleCallers } },
  handle:
    (services) =>
    ({ query, context }) => {
      const headers = {
        ...context.headers,
        "Content-Type": "text/csv; charset=utf-8",
        "Content-Disposition": 'attachment; filename="callers.csv"',
      };
      return new Response(streamed(services.exportCallers(query.operation)), { headers });
    },
});

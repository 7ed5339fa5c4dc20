import { z } from "zod";
import { PetStatus } from "../../../../domain/pets/pet.ts";
import { exampleExport } from "../example-files.ts";
import { type Format, formats } from "../pet-administration.ts";
import { streamed } from "../streamed.ts";
import { operation } from "./operation.ts";

const ExportQuery = z.object({
  format: z
    .enum(formats, { error: `must be one of ${formats.join(", ")}` })
    .default("ndjson")
    .meta({
      description: "The format of the file: one JSON object per line, or CSV with a header line.",
    }),
  status: PetStatus.optional(),
});

const contentTypes: Record<Format, string> = { ndjson: "application/x-ndjson", csv: "text/csv; charset=utf-8" };

/** GET /pets/export */
export const exportCatalogue = operation({
  id: "exportCatalogue",
  method: "get",
  path: "/pets/export",
  role: "viewer",
  tag: "pets",
  summary: "Export the catalogue",
  description: "Returns all pets, or those with one status, as a file. It is a consistent snapshot.",
  request: { query: ExportQuery },
  answers: { 200: { description: "The file.", types: ["application/x-ndjson", "text/csv"], examples: exampleExport } },
  handle:
    ({ petAdministration }) =>
    ({ query, context }) => {
      const { format, status } = query;
      const headers = {
        ...context.headers,
        "Content-Type": contentTypes[format],
        "Content-Disposition": `attachment; filename="pets.${format}"`,
      };
      return new Response(streamed(petAdministration.export(format, status)), { headers });
    },
});

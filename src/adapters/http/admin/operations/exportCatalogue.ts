import { PetStatus } from "../../../../domain/pets/pet.ts";
import { exampleExport } from "../example-files.ts";
import { FileQuery, fileHeaders, formatOf } from "../file.ts";
import { streamed } from "../streamed.ts";
import { operation } from "./operation.ts";

/** GET /pets/export */
export const exportCatalogue = operation({
  id: "exportCatalogue",
  method: "get",
  path: "/pets/export",
  role: "viewer",
  tag: "pets",
  summary: "Export the catalogue",
  description: "Returns all pets, or those with one status, as a file. It is a consistent snapshot.",
  request: { query: FileQuery.extend({ status: PetStatus.optional() }) },
  answers: { 200: { description: "The file.", types: ["application/x-ndjson", "text/csv"], examples: exampleExport } },
  handle:
    ({ exportPets }) =>
    ({ query, context }) => {
      const format = formatOf(query);
      const headers = { ...context.headers, ...fileHeaders("pets", format) };
      return new Response(streamed(exportPets(format, query.status)), { headers });
    },
});

import { exampleImport } from "../example-files.ts";
import { ImportQuery } from "../file.ts";
import { ImportProgress } from "../import-progress.ts";
import { authorOf } from "../request-context.ts";
import { uploadedFile, uploadTypes } from "../uploaded-file.ts";
import { operation } from "./operation.ts";

/** POST /pets/import */
export const importCatalogue = operation({
  id: "importCatalogue",
  method: "post",
  path: "/pets/import",
  role: "admin",
  tag: "pets",
  summary: "Import pets from a file",
  description: `Imports a file of any size: NDJSON with one pet per line, or CSV with a header line of \`name\`,
\`categoryId\` and, optionally, \`status\`. The response reports the progress line by line while the file arrives:
\`{"imported":2000,"rejected":1}\`. The last line has \`"done":true\` and the first 100 \`rejections\`, each with its \`line\` and
\`problem\`; or \`"done":false\` and the \`error\` that ended the import: pets imported until then stay. With \`replace=true\` a
line that has an id, such as one of an export, changes that pet to what the line says, and each report has the number of pets
\`changed\`. A pet that a delivered order has sold stays sold, and is counted as \`statusKept\`, unless you add
\`replaceStatus=true\`.`,
  request: { query: ImportQuery, types: uploadTypes, examples: exampleImport },
  answers: {
    200: {
      description: "The progress, line by line.",
      types: ["application/x-ndjson"],
      examples: {
        "application/x-ndjson":
          '{"imported":1,"rejected":0}\n{"done":true,"imported":1,"rejected":0,"rejections":[]}\n',
      },
    },
  },
  refusals: ["validation_failed"],
  handle:
    ({ importPets, report }) =>
    async ({ query, context }) => {
      const { raw, replace, replaceStatus } = query;
      const { format, chunks } = uploadedFile(context.request, raw);
      const batches = importPets(authorOf(context), chunks, { format, replace, replaceStatus });
      const first = await batches.next();
      const progress = new ImportProgress({ replace }, (error) => report(error, context.requestId));
      const headers = { ...context.headers, "Content-Type": "application/x-ndjson" };
      return new Response(progress.stream(first, batches), { headers });
    },
});

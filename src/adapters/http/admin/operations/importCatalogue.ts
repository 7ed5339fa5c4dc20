import { PetstoreError } from "../../../../domain/errors.ts";
import { exampleImport } from "../example-files.ts";
import { type Format, ImportQuery } from "../file.ts";
import { ImportProgress } from "../import-progress.ts";
import { authorOf } from "../request-context.ts";
import { operation } from "./operation.ts";

const formats = new Map<string, Format>([
  ["application/x-ndjson", "ndjson"],
  ["text/csv", "csv"],
]);
const types = [...formats.keys()];

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
  request: { query: ImportQuery, types, examples: exampleImport },
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
      const type = formatOf(context.request.headers);
      const format = type === "csv" && query.raw ? "raw-csv" : type;
      const { replace, replaceStatus } = query;
      const batches = importPets(authorOf(context), chunksOf(context.request), { format, replace, replaceStatus });
      const first = await batches.next();
      const progress = new ImportProgress({ replace }, (error) => report(error, context.requestId));
      const headers = { ...context.headers, "Content-Type": "application/x-ndjson" };
      return new Response(progress.stream(first, batches), { headers });
    },
});

/** @throws validation_failed when the body is incomplete */
async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch (cause) {
    throw new PetstoreError("validation_failed", { message: "The file is incomplete.", cause });
  }
}

/** @throws unsupported_media_type */
function formatOf(headers: Headers): Format {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  const format = formats.get(type);
  if (format !== undefined && encoding === "identity") return format;
  const message = `Send the file uncompressed, with Content-Type: ${types.join(" or ")}.`;
  throw new PetstoreError("unsupported_media_type", { message });
}

import { z } from "zod";
import { tagOfVersion } from "../../../../domain/changes.ts";
import { withRaw } from "../../../../domain/files.ts";
import { examplePet, Inventory, NewPet, PAGE, Pet, PetStatus, petJson } from "../../../../domain/pets.ts";
import { ofChange } from "../../openapi-headers.ts";
import { authorOf } from "../../operation.ts";
import { PageQuery, pageOf } from "../../paging.ts";
import { json } from "../../request.ts";
import { etagOf } from "../../responses.ts";
import { nextId, readPage, total } from "../fields.ts";
import {
  exampleExport,
  exampleImport,
  FileQuery,
  fileResponse,
  ImportProgress,
  ImportQuery,
  uploadedFile,
  uploadTypes,
} from "../files.ts";
import { operation } from "./operation.ts";

export const PetPage = z.strictObject({ pets: z.array(Pet).max(PAGE.max), next: nextId, total }).meta({
  id: "PetPage",
  description: "A page of the catalogue, by id.",
  examples: [{ pets: [examplePet], next: examplePet.id, total: 42 }],
});

export const listCatalogue = operation({
  id: "listCatalogue",
  route: "GET /pets",
  role: "viewer",
  summary: "List pets",
  description: "Lists the pets that match all given filters, by id.",
  request: { query: PageQuery },
  answers: { 200: { description: "A page of pets.", schema: PetPage } },
  handle: async ({ pets }, { query, context }) => {
    const page = pageOf(query);
    const [{ items, next }, total = null] = await Promise.all([
      readPage(page.limit, (limit) => pets.list({ ...page, limit })),
      pets.count(page),
    ]);
    return json(context, 200, { pets: items.map(petJson), next, total });
  },
});

export const addToCatalogue = operation({
  id: "addToCatalogue",
  route: "POST /pets",
  role: "admin",
  summary: "Add a pet",
  description: "Adds a pet to the catalogue.",
  request: { body: NewPet },
  answers: { 201: { description: "The pet.", schema: Pet, example: examplePet, headers: ofChange } },
  handle: async ({ pets, clock }, { body, context }) => {
    const pet = await pets.create(body, { by: authorOf(context), now: clock() });
    return json(context, 201, petJson(pet), { ETag: etagOf(tagOfVersion(pet.version)) });
  },
});

export const getInventory = operation({
  id: "getInventory",
  route: "GET /inventory",
  role: "viewer",
  tag: "pets",
  summary: "Get the inventory",
  description: "Returns how many pets of each status there are.",
  answers: { 200: { description: "The inventory.", schema: Inventory } },
  handle: async ({ pets }, { context }) => json(context, 200, await pets.inventory()),
});

export const exportCatalogue = operation({
  id: "exportCatalogue",
  route: "GET /pets/export",
  role: "viewer",
  summary: "Export the catalogue",
  description: "Returns all pets, or those with one status, as a file. It is a consistent snapshot.",
  request: { query: FileQuery.extend({ status: PetStatus.optional() }) },
  answers: { 200: { description: "The file.", types: ["application/x-ndjson", "text/csv"], examples: exampleExport } },
  handle: ({ exportPets }, { query, context }) => {
    const format = withRaw(query.format, query.raw);
    return fileResponse(context, "pets", format, exportPets(format, query.status));
  },
});

export const importCatalogue = operation({
  id: "importCatalogue",
  route: "POST /pets/import",
  role: "admin",
  summary: "Import pets from a file",
  description: `Imports a file of any size: NDJSON with one pet per line, or CSV with a header line of \`name\`,
\`categoryId\` and, optionally, \`status\`. The response reports the progress line by line while the file arrives:
\`{"imported":2000,"rejected":1,"import":"import_4kTn0aWq7JbYcX2z","lastLine":2001}\`. The last line has \`"done":true\` and the first 100 \`rejections\`, each with its \`line\` and
\`problem\`; or \`"done":false\` and the \`error\` that ended the import: pets imported until then stay, and \`fromLine\` goes on behind its \`lastLine\`. If the
connection is cut, the entry of the audit log whose target is the \`import\` has the \`line\`. With \`replace=true\` a
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
  handle: async ({ importPets, report }, { query, context }) => {
    const { raw, ...options } = query;
    const { format, chunks } = uploadedFile(context.request, raw);
    const batches = importPets(authorOf(context), chunks, { format, ...options });
    const first = await batches.next();
    const progress = new ImportProgress(options, (error) => report(error, context.requestId));
    const headers = { ...context.headers, "Content-Type": "application/x-ndjson" };
    return { status: 200, headers, body: progress.stream(first, batches) };
  },
});

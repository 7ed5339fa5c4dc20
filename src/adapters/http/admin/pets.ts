import { z } from "zod";
import { PetstoreError } from "../../../domain/errors.ts";
import { PAGE } from "../../../domain/pets/listing.ts";
import { NewPet, PetStatus } from "../../../domain/pets/pet.ts";
import type { PetStore } from "../../../domain/pets/store.ts";
import { readBody } from "../body.ts";
import type { Report } from "../errors.ts";
import { PageQuery, pageOf } from "../page-query.ts";
import { readQuery } from "../parameters.ts";
import { type Catalogue, type Format, formats } from "./catalogue.ts";
import { ImportProgress } from "./import-progress.ts";
import { answer, authorOf, type Handler } from "./request-context.ts";
import { streamed } from "./streamed.ts";

/** The forms of a file of pets, by their media types. */
const formatOfType = { "application/x-ndjson": "ndjson", "text/csv": "csv" } as const;
const typeOfFormat: Record<Format, string> = { ndjson: "application/x-ndjson", csv: "text/csv; charset=utf-8" };

type Parts = { pets: PetStore; catalogue: Catalogue; report: Report };

export const ExportQuery = z.object({
  format: z.enum(formats, { error: `must be one of ${formats.join(", ")}` }).default("ndjson"),
  status: PetStatus.optional(),
});

export const PetsQuery = z.object({
  limit: z.int().optional().meta({ type: "integer", minimum: PAGE.min, maximum: PAGE.max, default: PAGE.default }),
  after: z.int().optional().meta({ type: "integer", minimum: 0, description: "The `next` of the page before." }),
  status: PetStatus.optional(),
});

/** What operators do with the catalogue. */
export function petHandlers({ pets, catalogue, report }: Parts) {
  const list: Handler = async ({ env }) => {
    const page = pageOf(readQuery(PageQuery, env.request.url));
    const found = await pets.list({ ...page, limit: page.limit + 1 });
    const shown = found.slice(0, page.limit);
    const next = found.length > shown.length ? (shown.at(-1)?.id ?? null) : null;
    return answer(env, 200, { pets: shown, next });
  };

  const create: Handler = async ({ env }) => {
    const pet = await catalogue.create(authorOf(env), await readBody(env, NewPet));
    return answer(env, 201, pet);
  };

  const exportPets: Handler = ({ env }) => {
    const { format, status } = readQuery(ExportQuery, env.request.url);
    const headers = {
      ...env.headers,
      "Content-Type": typeOfFormat[format],
      "Content-Disposition": `attachment; filename="pets.${format}"`,
    };
    return new Response(streamed(catalogue.export(format, status)), { headers });
  };

  const importPets: Handler = async ({ env }) => {
    const format = formatOf(env.request.headers);
    const batches = catalogue.import(authorOf(env), chunksOf(env.request), format);
    const first = await batches.next();
    const progress = new ImportProgress((error) => report(error, env.requestId));
    const headers = { ...env.headers, "Content-Type": "application/x-ndjson" };
    return new Response(progress.tellOf(first, batches), { headers });
  };

  return { list, create, exportPets, importPets };
}

/** @throws validation_failed when the body does not arrive whole */
async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch (cause) {
    throw new PetstoreError("validation_failed", { message: "The file did not arrive whole.", cause });
  }
}

/** @throws unsupported_media_type */
function formatOf(headers: Headers): Format {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  const format = type === "application/x-ndjson" || type === "text/csv" ? formatOfType[type] : undefined;
  if (format !== undefined && encoding === "identity") return format;
  const expected = Object.keys(formatOfType).join(" or ");
  throw new PetstoreError("unsupported_media_type", {
    message: `Send the file uncompressed, with Content-Type: ${expected}.`,
  });
}

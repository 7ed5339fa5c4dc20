import { setTimeout as pause } from "node:timers/promises";
import { z } from "zod";
import { messageOf, PetstoreError, unavailable } from "../../../domain/errors.ts";
import { type Format, formats, type ImportBatch, noLines, sourceOf, withRaw } from "../../../domain/files.ts";
import { toJson } from "../../../domain/json.ts";
import { wholeNumber } from "../parameters.ts";
import type { HttpRequest, HttpResponse, RequestContext, RequestHeaders } from "../request.ts";
import { statusOf } from "../responses.ts";

/** A query parameter that is true or false; false if it is left out. */
export const flag = (description: string) =>
  z
    .enum(["true", "false"], { error: "must be true or false" })
    .default("false")
    .transform((text) => text === "true")
    .meta({ type: "boolean", default: false, description });

/** Whether texts in CSV are exactly as they are stored. */
const raw = flag(
  "For CSV: `true` for texts without the apostrophe that keeps spreadsheets from running a text such as `=1+1` as a formula.",
);

/** The parameters of a file that replaces everything. */
export const RawQuery = z.object({ raw });

export const ImportQuery = z.object({
  raw,
  replace: flag("`true` changes the pet whose id a line has; otherwise ids are ignored, and every line adds a pet."),
  fromLine: wholeNumber(1, Number.MAX_SAFE_INTEGER).optional().meta({
    description: "Imports from this line of the file on: after an interruption, the `lastLine` that was imported + 1.",
  }),
  rejectedLines: flag(
    "`true` adds the rejected lines as they were to the reports, below the header of a CSV file: parts of a file to be corrected and imported again, each in base64.",
  ),
  replaceStatus: flag(
    "With `replace`: `true` gives pets that a delivered order has sold the status of their line too; otherwise they stay sold.",
  ),
});

export const FileQuery = z.object({
  format: z
    .enum(formats, { error: `must be one of ${formats.join(", ")}` })
    .default("ndjson")
    .meta({ description: "The format of the file: one JSON object per line, or CSV with a header line." }),
  raw,
});

/** Responds with a file that is generated as it is sent. */
export function fileResponse(
  context: RequestContext,
  name: string,
  format: Format,
  parts: AsyncGenerator<string>,
): HttpResponse {
  const isCsv = format !== "ndjson";
  const headers = {
    ...context.headers,
    "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/x-ndjson",
    "Content-Disposition": `attachment; filename="${name}.${isCsv ? "csv" : "ndjson"}"`,
  };
  return { status: 200, headers, body: streamed(parts) };
}

/** With `replace` a line that has an id changes that pet, with `replaceStatus` also one that a delivered order has sold. */
export type ImportOptions = {
  format: Format;
  replace: boolean;
  replaceStatus: boolean;
  fromLine?: number | undefined;
  rejectedLines: boolean;
};

/** The most bytes of rejected lines in a response. */
const MOST_SOURCE = 8 * 1024 * 1024;

/** The time between two reports of progress, in ms. */
const INTERVAL = 250;
/** The largest number of rejected lines in the last report. */
const MOST_REJECTIONS = 100;

/** The progress of an import, as lines of JSON (NDJSON). The last line reports the result. */
export class ImportProgress {
  readonly #replaces: boolean;
  readonly #hasSource: boolean;
  /** The rejected lines that no report has yet, and the bytes of those so far. */
  #source: Uint8Array[] = [];
  #sourceSize = 0;
  #isSourceComplete = true;
  readonly #onFailure: (error: PetstoreError) => void;
  readonly #rejections: { line: number; problem: string }[] = [];
  #counts = noLines;
  #position: { import?: string; lastLine?: number } = {};
  #reportedAt = performance.now();

  /** `onFailure` receives an error of the service itself, of which the client sees only the code. */
  constructor(
    { replace, rejectedLines }: Pick<ImportOptions, "replace" | "rejectedLines">,
    onFailure: (error: PetstoreError) => void,
  ) {
    this.#replaces = replace;
    this.#hasSource = rejectedLines;
    this.#onFailure = onFailure;
  }

  /**
   * A body that reports the first result and all that follow. It does not wait until it is read: a client that sends a
   * file may read nothing before the whole file is sent. When the client disconnects, the import ends.
   */
  stream(first: IteratorResult<ImportBatch>, batches: AsyncGenerator<ImportBatch>): ReadableStream<Uint8Array> {
    const encoder = new TextEncoder();
    let isCancelled = false;
    return new ReadableStream({
      start: (controller) => {
        const write = (line: object) => isCancelled || controller.enqueue(encoder.encode(`${toJson(line)}\n`));
        this.#follow(first, batches, write, () => isCancelled)
          .then(() => isCancelled || controller.close())
          // The connection ended during a report, so nobody can receive it.
          .catch(() => {});
      },
      cancel() {
        isCancelled = true;
      },
    });
  }

  async #follow(
    first: IteratorResult<ImportBatch>,
    batches: AsyncGenerator<ImportBatch>,
    write: (line: object) => void,
    isCancelled: () => boolean,
  ): Promise<void> {
    try {
      for (let result = first; !result.done; result = await batches.next()) {
        this.#count(result.value);
        if (isCancelled()) return void (await batches.return(undefined));
        if (performance.now() - this.#reportedAt < INTERVAL) continue;
        this.#reportedAt = performance.now();
        write({ ...this.#sum, ...this.#position, ...this.#takeSource() });
      }
      write({ done: true, ...this.#sum, rejections: this.#rejections, ...this.#endOfSource() });
    } catch (thrown) {
      const error = thrown instanceof PetstoreError ? thrown : unavailable(thrown);
      if (error.isFailure) this.#onFailure(error);
      const { code, message } = error;
      const body = { code, message, status: statusOf(code) };
      write({
        done: false,
        ...this.#sum,
        ...this.#position,
        rejections: this.#rejections,
        ...this.#endOfSource(),
        error: body,
      });
    }
  }

  get #sum() {
    const { imported, changed, statusKept = 0, rejected } = this.#counts;
    return { imported, ...(this.#replaces && { changed, statusKept }), rejected };
  }

  #keepSource(bytes: Uint8Array): void {
    this.#isSourceComplete &&= this.#sourceSize + bytes.length <= MOST_SOURCE;
    if (!this.#isSourceComplete) return;
    this.#source.push(bytes);
    this.#sourceSize += bytes.length;
  }

  #takeSource() {
    if (this.#source.length === 0) return {};
    return { rejectedLines: Buffer.concat(this.#source.splice(0)).toString("base64") };
  }

  /** The last lines, and whether they were all. */
  #endOfSource() {
    return { ...this.#takeSource(), ...(this.#hasSource && { hasAllRejectedLines: this.#isSourceComplete }) };
  }

  #count({ counts, rejected, importId, line, header }: ImportBatch): void {
    if (this.#hasSource && rejected.length > 0)
      this.#keepSource(sourceOf(rejected, this.#counts.rejected === 0 ? header : undefined));
    this.#position = { import: importId, lastLine: line };
    this.#counts = counts;
    const room = MOST_REJECTIONS - this.#rejections.length;
    this.#rejections.push(...rejected.slice(0, room).map(({ line, reason }) => ({ line, problem: reason })));
  }
}

const formatsByType = new Map<string, (typeof formats)[number]>([
  ["application/x-ndjson", "ndjson"],
  ["text/csv", "csv"],
]);

/** The media types of a file that is uploaded. */
export const uploadTypes = [...formatsByType.keys()];

/** A file that is the body of a request: its format, and its bytes, which are read as they arrive. */
export type UploadedFile = { format: Format; chunks: AsyncIterable<Uint8Array> };

/** `isRaw`: whether texts in CSV are as they are stored. @throws unsupported_media_type; `chunks` throws validation_failed */
export function uploadedFile(request: HttpRequest, isRaw: boolean): UploadedFile {
  const format = withRaw(mediaFormatOf(request.headers), isRaw);
  return { format, chunks: chunksOf(request) };
}

/** The same for a request that may have no body. @throws unsupported_media_type */
export async function optionalFile(request: HttpRequest, isRaw: boolean): Promise<UploadedFile | undefined> {
  if (request.headers.has("Content-Type")) return uploadedFile(request, isRaw);
  for await (const chunk of chunksOf(request)) if (chunk.length > 0) throw unsupported(uploadTypes);
  return undefined;
}

/** The bytes of a body of this media type. @throws unsupported_media_type; iterating throws validation_failed */
export function bytesOf(request: HttpRequest, type: string): AsyncIterable<Uint8Array> {
  if (mediaTypeOf(request.headers) === type) return chunksOf(request);
  throw unsupported([type]);
}

/** @throws validation_failed when the body is incomplete */
async function* chunksOf({ body }: HttpRequest): AsyncGenerator<Uint8Array> {
  try {
    if (body instanceof Uint8Array) yield body;
    else if (typeof body !== "string") yield* body;
  } catch (cause) {
    throw new PetstoreError("validation_failed", { message: `The file is incomplete: ${messageOf(cause)}.`, cause });
  }
}

/** @throws unsupported_media_type */
function mediaFormatOf(headers: RequestHeaders): (typeof formats)[number] {
  const format = formatsByType.get(mediaTypeOf(headers) ?? "");
  if (format !== undefined) return format;
  throw unsupported(uploadTypes);
}

/** Undefined for a compressed body. */
function mediaTypeOf(headers: RequestHeaders): string | undefined {
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  return encoding === "identity" ? headers.get("Content-Type")?.split(";")[0]?.trim().toLowerCase() : undefined;
}

function unsupported(types: string[]): PetstoreError {
  const message = `Send the file uncompressed, with Content-Type: ${types.join(" or ")}.`;
  return new PetstoreError("unsupported_media_type", { message });
}

/** Bytes after which a download pauses, and for how long (ms): it is sent at 64 MB/s at most, and public requests have turns. */
const BURST = 128 * 1024;
const PAUSE = 2;

/** The same bytes, with pauses: however fast the client reads, most of the time is left to other requests. */
export async function* paced(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sent += chunk.length;
    if (sent < BURST) continue;
    sent = 0;
    await pause(PAUSE);
  }
}

/** A body that pulls each text, or chunk of bytes, from the generator on demand. Cancelling the body ends the generator. */
export function streamed(parts: AsyncGenerator<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    // Nothing is generated before the body is read: a response to HEAD has none.
    { highWaterMark: 0 },
  );
}

/** Files to import, for the document. */
export const exampleImport = {
  "application/x-ndjson": '{"name":"Rex","categoryId":1,"status":"available"}\n',
  "text/csv": "name,categoryId,status\nRex,1,available\n",
};

export const exampleCallers = {
  "text/csv":
    "operation,keyId,keyName,calls,lastCalledAt,userAgent,ownerName,ownerEmail\ngetPet,key_4kTn0aWq7JbYcX2z,My app,12,2026-12-02T10:00:00.250Z,my-app/1.0,Ada,ada@example.org\n",
};

export const exampleChanges = {
  "application/x-ndjson":
    '{"id":1,"at":"2026-12-02T10:00:00.250Z","operator":{"name":"first start"},"action":"key.create","target":"key_4kTn0aWq7JbYcX2z","before":null,"after":{"plan":"business"},"requestId":null}\n',
  "text/csv":
    'id,at,operatorId,operator,action,target,before,after,requestId\n1,2026-12-02T10:00:00.250Z,,first start,key.create,key_4kTn0aWq7JbYcX2z,,"{""plan"":""business""}",\n',
};

/** Exported files, for the document. */
export const exampleExport = {
  "application/x-ndjson": '{"id":1,"name":"Rex","categoryId":1,"status":"available"}\n',
  "text/csv": "id,name,categoryId,status\n1,Rex,1,available\n",
};

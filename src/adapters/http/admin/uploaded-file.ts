import { PetstoreError } from "../../../domain/errors.ts";
import { type FileFormat, type Format, formatOf } from "./file.ts";

const formats = new Map<string, FileFormat>([
  ["application/x-ndjson", "ndjson"],
  ["text/csv", "csv"],
]);

/** The media types of a file that is uploaded. */
export const uploadTypes = [...formats.keys()];

/** A file that is the body of a request: its format, and its bytes, which are read as they arrive. */
export type UploadedFile = { format: Format; chunks: AsyncIterable<Uint8Array> };

/** `isRaw`: whether texts in CSV are as they are stored. @throws unsupported_media_type; `chunks` throws validation_failed */
export function uploadedFile(request: Request, isRaw: boolean): UploadedFile {
  const format = formatOf({ format: mediaFormatOf(request.headers), raw: isRaw });
  return { format, chunks: chunksOf(request) };
}

/** The same for a request that may have no body. @throws unsupported_media_type */
export async function optionalFile(request: Request, isRaw: boolean): Promise<UploadedFile | undefined> {
  if (request.headers.has("Content-Type")) return uploadedFile(request, isRaw);
  for await (const chunk of chunksOf(request)) if (chunk.length > 0) throw unsupported();
  return undefined;
}

/** @throws validation_failed when the body is incomplete */
async function* chunksOf({ body }: Request): AsyncGenerator<Uint8Array> {
  try {
    if (body !== null) yield* body;
  } catch (cause) {
    throw new PetstoreError("validation_failed", { message: "The file is incomplete.", cause });
  }
}

/** @throws unsupported_media_type */
function mediaFormatOf(headers: Headers): FileFormat {
  const type = (headers.get("Content-Type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  const format = formats.get(type);
  if (format !== undefined && encoding === "identity") return format;
  throw unsupported();
}

function unsupported(): PetstoreError {
  const message = `Send the file uncompressed, with Content-Type: ${uploadTypes.join(" or ")}.`;
  return new PetstoreError("unsupported_media_type", { message });
}

import type { z } from "zod";
import { type Detail, errorCatalogue, PetstoreError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json/parse.ts";
import { discard } from "./discard.ts";
import type { RequestContext } from "./request-context.ts";

/** How large a request body may be, in bytes. */
export const LARGEST_BODY = 64 * 1024;
/** How long a body may take to arrive, in ms. */
const PATIENCE = 10_000;

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";]*)/i;

/**
 * The request's JSON body, as `schema` has it. Without a body: what the schema makes of undefined, where it takes that.
 * @throws payload_too_large, unsupported_media_type, invalid_json, validation_failed, in this order
 */
export async function readBody<S extends z.ZodType>(
  context: RequestContext,
  schema: S,
  types: readonly string[] = ["application/json"],
): Promise<z.output<S>> {
  const bytes = await readBytes(context);
  const absent = bytes.length === 0 ? schema.safeParse(undefined) : undefined;
  if (absent?.success) return absent.data;
  requireJson(context.request.headers, types, bytes.length === 0);
  const result = schema.safeParse(parseJson(bytes, "The request body"));
  if (result.success) return result.data;
  throw invalid(result.error);
}

async function readBytes({ request, headers }: RequestContext): Promise<Uint8Array> {
  try {
    return await readInTime(request);
  } catch (error) {
    // The connection is not usable for another request while the rest of a body is on its way.
    headers.Connection = "close";
    throw error;
  }
}

async function readInTime(request: Request): Promise<Uint8Array> {
  const length = request.headers.get("Content-Length");
  if (Number(length) > LARGEST_BODY) {
    if (request.body !== null) await discard(request.body.getReader());
    throw tooLarge();
  }
  let late: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    late = setTimeout(() => reject(incomplete("The request body took too long to arrive.")), PATIENCE);
  });
  try {
    // Where the length is known the runtime holds the body to it, and reading it at once costs a third of a stream.
    return await Promise.race([length === null ? readStream(request.body) : readWhole(request), deadline]);
  } finally {
    clearTimeout(late);
  }
}

async function readWhole(request: Request): Promise<Uint8Array> {
  const body = await request.arrayBuffer().catch(notWhole);
  return new Uint8Array(body);
}

async function readStream(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(notWhole);
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > LARGEST_BODY) {
      await discard(reader);
      throw tooLarge();
    }
    chunks.push(value);
  }
}

function tooLarge(): PetstoreError {
  const message = `The request body must not be larger than ${LARGEST_BODY} bytes.`;
  return new PetstoreError("payload_too_large", { message });
}

function incomplete(message: string, cause?: unknown): PetstoreError {
  return new PetstoreError("invalid_json", { message, cause });
}

function notWhole(cause: unknown): never {
  throw incomplete("The request body did not arrive whole.", cause);
}

function requireJson(headers: Headers, types: readonly string[], isEmpty: boolean): void {
  const type = headers.get("Content-Type") ?? "";
  const name = type.split(";", 1)[0]?.trimEnd().toLowerCase() ?? "";
  const charset = CHARSET.exec(type)?.[1]?.trim().toLowerCase() ?? "utf-8";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (types.includes(name) && ["utf-8", "utf8"].includes(charset) && encoding === "identity") return;
  const { message } = errorCatalogue.unsupported_media_type;
  throw new PetstoreError(
    "unsupported_media_type",
    isEmpty ? { message: `The request body is empty. ${message}` } : {},
  );
}

function invalid(error: z.ZodError): PetstoreError {
  const details = error.issues.map(
    ({ path, message }): Detail => ({ in: "body", field: path.join("."), problem: message }),
  );
  const message = details.map(({ field, problem }) => `${field || "The body"} ${problem}.`).join(" ");
  return new PetstoreError("validation_failed", { message, details });
}

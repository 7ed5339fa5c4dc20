import type { z } from "zod";
import { type Awaitable, after } from "../../domain/awaitable.ts";
import { type Detail, PetstoreError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json.ts";
import { shapeOf } from "../../domain/json-shape.ts";
import type { Connection, RequestContext } from "./request.ts";

export const MAX_BODY_BYTES = 64 * 1024;
/** The media types of a change: a merge patch (RFC 7396), which is JSON. */
export const PATCH_TYPES = ["application/merge-patch+json", "application/json"] as const;
/** The time in which a body must arrive, in ms. */
const BODY_TIMEOUT = 10_000;

const CHARSET = /;[ \t]*charset[ \t]*=[ \t]*"?([^";]*)/i;

/**
 * Returns the function that reads a request's JSON body with `schema`. A missing body is allowed if the schema accepts
 * undefined. It throws payload_too_large, unsupported_media_type, invalid_json and validation_failed, in this order.
 */
export function bodyReader<S extends z.ZodType>(schema: S, types: readonly string[] = ["application/json"]) {
  const shape = shapeOf(schema);
  return async (context: RequestContext): Promise<z.output<S>> => {
    const bytes = await readBytes(context);
    const absent = bytes.length === 0 ? schema.safeParse(undefined) : undefined;
    if (absent?.success) return absent.data;
    requireJson(context.request.headers, types, bytes.length === 0);
    const result = schema.safeParse(parseJson(bytes, "The request body", shape));
    if (result.success) return result.data;
    throw invalid(result.error);
  };
}

async function readBytes({ request, headers }: RequestContext): Promise<Uint8Array> {
  try {
    return await readWithTimeout(request);
  } catch (error) {
    // The connection cannot carry another request while the rest of the body arrives.
    headers.Connection = "close";
    throw error;
  }
}

async function readWithTimeout(request: Request): Promise<Uint8Array> {
  const length = request.headers.get("Content-Length");
  if (Number(length) > MAX_BODY_BYTES) throw tooLarge();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(incomplete("The request body took too long to arrive.")), BODY_TIMEOUT);
  });
  try {
    // With Content-Length the runtime enforces the length, and reading at once costs a third of reading a stream.
    return await Promise.race([length === null ? readStream(request.body) : readWhole(request), deadline]);
  } finally {
    clearTimeout(timer);
  }
}

async function readWhole(request: Request): Promise<Uint8Array> {
  const body = await request.arrayBuffer().catch(throwIncomplete);
  return new Uint8Array(body);
}

async function readStream(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
  for (;;) {
    const { done, value } = await reader.read().catch(throwIncomplete);
    if (done) return Buffer.concat(chunks);
    size += value.length;
    if (size > MAX_BODY_BYTES) {
      reader.releaseLock();
      throw tooLarge();
    }
    chunks.push(value);
  }
}

function tooLarge(): PetstoreError {
  const message = `The request body must not be larger than ${MAX_BODY_BYTES} bytes.`;
  return new PetstoreError("payload_too_large", { message });
}

function incomplete(message: string, cause?: unknown): PetstoreError {
  return new PetstoreError("invalid_json", { message, cause });
}

function throwIncomplete(cause: unknown): never {
  throw incomplete("The request body is incomplete.", cause);
}

function requireJson(headers: Headers, types: readonly string[], isEmpty: boolean): void {
  const type = headers.get("Content-Type") ?? "";
  const name = type.split(";", 1)[0]?.trimEnd().toLowerCase() ?? "";
  const charset = CHARSET.exec(type)?.[1]?.trim().toLowerCase() ?? "utf-8";
  const encoding = headers.get("Content-Encoding")?.trim().toLowerCase() ?? "identity";
  if (types.includes(name) && ["utf-8", "utf8"].includes(charset) && encoding === "identity") return;
  const problem = isEmpty ? "The request body is empty. " : "";
  const message = `${problem}Send the body as JSON in UTF-8, uncompressed, with Content-Type: ${types.join(" or ")}.`;
  throw new PetstoreError("unsupported_media_type", { message });
}

function invalid(error: z.ZodError): PetstoreError {
  const details = error.issues.map(({ path, message }): Detail => ({ field: path.join("."), problem: message }));
  const message = details.map(({ field, problem }) => `${field || "The body"} ${problem}.`).join(" ");
  return new PetstoreError("validation_failed", { message, details });
}

/** How long the rest of a body is read, and how long its sender may pause, in ms. */
const READ_TIMEOUT = 1_000;
const PAUSE_TIMEOUT = 100;
/** How long a client that is still sending then has to read the response, in ms. */
const GRACE_PERIOD = 300;

/**
 * Returns the response with a body that ends only after up to 64 KiB more of the request have arrived. Closing a connection
 * on which data arrives resets it, and a client or proxy that is still sending would lose the response (RFC 9112, 9.6).
 */
async function lingering(response: Response, unread: ReadableStream<Uint8Array>): Promise<Response> {
  const text = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  headers.set("Content-Length", String(text.length));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(text);
      await discard(unread);
      controller.close();
    },
  });
  return new Response(body, { status, headers });
}

/** Reads and drops the rest of a body, within the bounds above. */
async function discard(unread: ReadableStream<Uint8Array>): Promise<void> {
  const reader = unread.getReader();
  const end = performance.now() + READ_TIMEOUT;
  let size = 0;
  while (size < MAX_BODY_BYTES && performance.now() < end) {
    const chunk = await Promise.race([reader.read(), pause(PAUSE_TIMEOUT)]).catch(() => undefined);
    if (chunk?.value === undefined) break;
    size += chunk.value.length;
  }
  if (size >= MAX_BODY_BYTES) await pause(GRACE_PERIOD);
  // Not awaited: nothing depends on the rest of the body.
  reader.cancel().catch(() => {});
}

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}

type Respond = (request: Request, connection: Connection) => Awaitable<Response>;

/** The responses of connections that were cut. */
const cuts = new WeakSet<Response>();

/**
 * Closes the connection of a request whose body was not read to its end, if it may be larger than a body may be: a
 * runtime would read all the rest of it, without end.
 */
export function closingUnread(respond: Respond): Respond {
  return (request, connection) => {
    const response = respond(request, connection);
    return mayBeTooLarge(request) ? after(response, (made) => closeUnread(request, made)) : response;
  };
}

/** Cuts the connection without an answer, whether or not the body was read. */
export function cutConnection(connection: Connection): Awaitable<Response> {
  return after(connection.cut(), (response) => {
    cuts.add(response);
    return response;
  });
}

function mayBeTooLarge({ headers }: Request): boolean {
  return headers.has("Transfer-Encoding") || Number(headers.get("Content-Length")) > MAX_BODY_BYTES;
}

function closeUnread({ body, bodyUsed }: Request, response: Response): Awaitable<Response> {
  if (cuts.has(response)) return response;
  // A reader that reached the end keeps its lock; one that refused the rest releases it, and the response closes.
  if (body?.locked || (bodyUsed && response.headers.get("Connection") !== "close")) return response;
  response.headers.set("Connection", "close");
  // The request of a GET has no body to read, even if bytes follow its headers.
  return body === null || response.body === null ? response : lingering(response, body);
}

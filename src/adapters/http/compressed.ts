import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { Awaitable } from "../../domain/awaitable.ts";
import { etagOf, isCurrent } from "./conditional.ts";
import type { RequestContext } from "./request-context.ts";

/** A body that never changes while the service runs, in each encoding, the smallest first. */
export type CompressedBody = { digest: string; encodings: Map<string, Uint8Array<ArrayBuffer>> };

/** Bodies by name, each compressed once, at its first request. */
export class CompressedBodies {
  readonly #bodies = new Map<string, Promise<CompressedBody>>();

  /** Returns the body with this name; `read` returns its bytes the first time. */
  get(name: string, read: () => Awaitable<string | Uint8Array>): Promise<CompressedBody> {
    const body = this.#bodies.get(name) ?? Promise.resolve(read()).then(compress);
    this.#bodies.set(name, body);
    return body;
  }
}

/**
 * Compresses a body, and leaves out an encoding that makes it no smaller. Takes about 0.2 s per megabyte in the thread
 * pool: call it once.
 */
export async function compress(body: string | Uint8Array): Promise<CompressedBody> {
  const bytes = new Uint8Array(Buffer.from(body));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const [br, gz] = await Promise.all([promisify(brotliCompress)(bytes, { params }), promisify(gzip)(bytes)]);
  const digest = createHash("sha256").update(bytes).digest("hex").slice(0, 16);
  const compressed = [
    ["br", new Uint8Array(br)],
    ["gzip", new Uint8Array(gz)],
  ] as const;
  return {
    digest,
    encodings: new Map([...compressed.filter(([, body]) => body.length < bytes.length), ["identity", bytes]]),
  };
}

/** Returns the body in the encoding that the client prefers, of equal ones the smallest; or 304 if the client has it already. */
export function sendCompressed(
  { request, headers: shared }: RequestContext,
  { digest, encodings }: CompressedBody,
  own: Record<string, string>,
): Response {
  const encoding = preferred([...encodings.keys()], request.headers.get("Accept-Encoding") ?? "");
  // Each encoding is a representation with its own ETag (RFC 9110, 8.8.3.3).
  const etag = etagOf(`${digest}-${encoding}`);
  const headers: Record<string, string> = { ...shared, ETag: etag, Vary: "Accept-Encoding", ...own };
  if (isCurrent(request, etag)) return new Response(null, { status: 304, headers });
  if (encoding !== "identity") headers["Content-Encoding"] = encoding;
  return new Response(encodings.get(encoding) ?? null, { headers });
}

/** The encoding with the greatest weight in Accept-Encoding, the first of equal ones; identity if the client names none. */
function preferred(encodings: string[], header: string): string {
  const weights = new Map(header.split(",").map(weighted));
  const weightOf = (encoding: string) => weights.get(encoding) ?? 0;
  const accepted = encodings.filter((encoding) => weightOf(encoding) > 0);
  return accepted.toSorted((a, b) => weightOf(b) - weightOf(a))[0] ?? "identity";
}

/** The encoding that an item of Accept-Encoding names, and its weight from 0 to 1 (RFC 9110, 12.4.2). */
function weighted(item: string): [encoding: string, weight: number] {
  const [name = "", parameter = ""] = item.split(";");
  const weight = /^\s*q=([01](?:\.\d*)?)\s*$/i.exec(parameter)?.[1] ?? 1;
  return [name.trim().toLowerCase(), Number(weight)];
}

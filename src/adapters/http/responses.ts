import { createHash, hash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import { z } from "zod";
import type { Awaitable } from "../../domain/awaitable.ts";
import { type EntityTags, names, type Preconditions } from "../../domain/changes.ts";
import { type Detail, type ErrorCode, type ErrorKind, errorCatalogue, PetstoreError } from "../../domain/errors.ts";
import { type HttpRequest, type HttpResponse, MAX_HEAD, type RequestContext } from "./request.ts";

/** docs/errors.md: Error. */
export type ErrorBody = { code: ErrorCode; message: string; status: number; details?: Required<Detail>[] };

/** Logs the cause of a 5xx, which the response does not contain. */
export type Report = (error: PetstoreError, requestId: string) => void;

const statuses: Record<ErrorKind, number> = {
  invalid: 400,
  unauthenticated: 401,
  forbidden: 403,
  not_found: 404,
  not_allowed: 405,
  conflict: 409,
  gone: 410,
  precondition: 412,
  too_large: 413,
  unsupported: 415,
  unprocessable: 422,
  limited: 429,
  headers_too_large: 431,
  internal: 500,
  unavailable: 503,
};

export function statusOf(code: ErrorCode): number {
  return statuses[errorCatalogue[code].kind];
}

/** Returns the response for an error. Anything but a PetstoreError is an internal error. */
export function errorResponse(context: RequestContext, thrown: unknown, report: Report): HttpResponse {
  const { requestId, headers } = context;
  const error = thrown instanceof PetstoreError ? thrown : new PetstoreError("internal_error", { cause: thrown });
  if (error.isFailure) report(error, requestId);
  const { code, message, retryAfter } = error;
  const details = error.details?.map(({ in: place = "body", field, problem }) => ({ in: place, field, problem }));
  context.error = code;
  headers["Cache-Control"] = "no-store";
  headers["Content-Type"] = "application/json";
  if (retryAfter !== undefined) headers["Retry-After"] = String(retryAfter);
  const body: ErrorBody = { code, message, status: statusOf(code), ...(details && { details }) };
  return { status: body.status, headers, body: JSON.stringify(body) };
}

// ETags, and requests that depend on them. Source: RFC 9110, 8.8.3 and 13.1.

/** An element of a list of tags: it may be empty, and a tag in quotes may contain commas (RFC 9110, 5.6.1). */
const ELEMENT = /[ \t]*(?:(?:W\/)?"([^"]*)"[ \t]*)?(?:,|$)/y;
const MAX_ELEMENTS = 256;

/** The tags in a list without their quotes; undefined if it is malformed or too long. Takes time in proportion to its length. */
function elementsOf(list: string): string[] | undefined {
  const tags: string[] = [];
  ELEMENT.lastIndex = 0;
  for (let count = 0; count < MAX_ELEMENTS; count++) {
    const element = ELEMENT.exec(list);
    if (element === null) return undefined;
    if (element[1] !== undefined) tags.push(element[1]);
    if (ELEMENT.lastIndex === list.length) return tags;
  }
  return undefined;
}

/**
 * The tags in If-Match or If-None-Match; none if the header is malformed. A weak tag is as exact as the strong one that a
 * proxy made it from when it compressed the response.
 */
function tagsIn(header: string): EntityTags {
  return header === "*" ? "any" : (elementsOf(header) ?? []);
}

/** The tags that If-None-Match excludes from a change. A malformed header excludes all: it allows no more than a valid one. */
function excludedTagsIn(header: string): EntityTags {
  return elementsOf(header) ?? "any";
}

export const ConditionalChange = z.object({
  "If-Match": z
    .string()
    .transform(tagsIn)
    .meta({
      type: "string",
      maxLength: MAX_HEAD,
      description:
        "Make the change only if the resource has one of these ETags, or any ETag for `*`. Otherwise the response is 412.",
      examples: ['"v1"'],
    })
    .optional(),
  "If-None-Match": z
    .string()
    .transform(excludedTagsIn)
    .meta({
      type: "string",
      maxLength: MAX_HEAD,
      description:
        "Make the change only if the resource has none of these ETags, or does not exist for `*`. Otherwise the response is 412.",
      examples: ["*"],
    })
    .optional(),
});

/** What the headers of a conditional change require. */
export function preconditionsIn(headers: z.output<typeof ConditionalChange>): Preconditions {
  return { ifMatch: headers["If-Match"], ifNoneMatch: headers["If-None-Match"] };
}

/** The header If-None-Match of a read, for the document: `representationAnswer` reads it, and no value of it is refused. */
export const IfNoneMatch = z.string().meta({
  maxLength: MAX_HEAD,
  description: "ETags of representations that you have: if one is current, the response is 304 without a body.",
  examples: ['"v1"'],
});

export function etagOf(tag: string): string {
  return `"${tag}"`;
}

/** The tag of a representation that has none of its own: a digest of its text. */
export function tagOfText(text: string): string {
  return hash("sha1", text, "base64url");
}

/** Whether the client has the representation with this ETag already: it names the tag in If-None-Match. */
function isCurrent({ headers }: HttpRequest, etag: string): boolean {
  const known = headers.get("If-None-Match");
  // Mostly the client sends the ETag as it got it: then the header need not be parsed.
  return known !== null && (known === etag || names(tagsIn(known), etag.slice(1, -1)));
}

/**
 * What a read returns: JSON text with its ETag; if another page follows, the header Link to it; for a list, the position in the
 * feed of events than which it is no older.
 */
export type Representation = {
  body: string;
  etag: string;
  link?: string | undefined;
  position?: string | undefined;
  type?: string;
};

/** Names a request header in Vary, before those that the response varies with already. */
export function varyWith(header: string, headers: Record<string, string>): void {
  headers.Vary = headers.Vary === undefined ? header : `${header}, ${headers.Vary}`;
}

/** Responds with a representation, or with 304 if the client has it already. */
export function representationResponse(
  { request, headers }: RequestContext,
  { body, etag, link, position, type = "application/json" }: Representation,
): HttpResponse {
  headers["Cache-Control"] = "private, no-cache";
  varyWith("Authorization", headers);
  headers.ETag = etag;
  if (link !== undefined) headers.Link = link;
  if (position !== undefined) headers["Petstore-Position"] = position;
  if (isCurrent(request, etag)) return { status: 304, headers, body: null };
  headers["Content-Type"] = type;
  return { status: 200, headers, body };
}

/** A body that never changes while the service runs, in each encoding, the smallest first. */
type CompressedBody = { digest: string; encodings: Map<string, Uint8Array<ArrayBuffer>> };

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
): HttpResponse {
  const encoding = preferred([...encodings.keys()], request.headers.get("Accept-Encoding") ?? "") ?? "identity";
  // Each encoding is a representation with its own ETag (RFC 9110, 8.8.3.3).
  const etag = etagOf(`${digest}-${encoding}`);
  const headers: Record<string, string> = { ...shared, ETag: etag, Vary: "Accept-Encoding", ...own };
  if (isCurrent(request, etag)) return { status: 304, headers, body: null };
  if (encoding !== "identity") headers["Content-Encoding"] = encoding;
  return { status: 200, headers, body: encodings.get(encoding) ?? null };
}

/**
 * Of these the one with the greatest weight in Accept or Accept-Encoding, the first of equal ones; undefined if the client names none.
 * Wildcards do not count: they stand for what a client gets that names none.
 */
export function preferred(names: readonly string[], header: string): string | undefined {
  const weights = new Map(header.split(",").map(weighted));
  const weightOf = (name: string) => weights.get(name) ?? 0;
  const accepted = names.filter((name) => weightOf(name) > 0);
  return accepted.toSorted((a, b) => weightOf(b) - weightOf(a))[0];
}

/** What an item of such a header names, and its weight from 0 to 1 (RFC 9110, 12.4.2). */
function weighted(item: string): [name: string, weight: number] {
  const [name = "", ...parameters] = item.split(";");
  const weights = parameters.flatMap((parameter) => /^\s*q=([01](?:\.\d*)?)\s*$/i.exec(parameter)?.[1] ?? []);
  return [name.trim().toLowerCase(), Number(weights[0] ?? 1)];
}

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Page not found · Petstore</title>
<link rel="icon" href="/docs/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header><a class="brand" href="/docs"><img src="/docs/icon.svg" alt="" width="24" height="24">Petstore</a></header>
<main id="content">
<h1>Page not found</h1>
<p>There is nothing at this address. Begin with the <a href="/docs">documentation</a> or the <a href="/docs/reference">reference</a>.</p>
</main>
</body>
</html>
`;

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The page that a browser shows for a 404; undefined for other errors, and for a client that does not ask for HTML. */
export function notFoundPage({ request, headers }: RequestContext, error: unknown): HttpResponse | undefined {
  if (!(error instanceof PetstoreError) || error.kind !== "not_found") return undefined;
  varyWith("Accept", headers);
  if (!request.headers.get("Accept")?.toLowerCase().includes("text/html")) return undefined;
  headers["Cache-Control"] = "no-store";
  headers["Content-Type"] = "text/html; charset=utf-8";
  headers["Content-Security-Policy"] = POLICY;
  headers["Referrer-Policy"] = "no-referrer";
  return { status: 404, headers, body: PAGE };
}

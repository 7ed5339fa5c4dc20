import { hash } from "node:crypto";
import { z } from "zod";
import { jsonText, type RequestContext } from "./request-context.ts";

// ETags, and requests that depend on them. Source: RFC 9110, 8.8.3 and 13.1.

const LIST = /^(?:W\/)?"[^"]*"(?: *, *(?:W\/)?"[^"]*")*$/;
/** Also as a weak tag: a proxy that compresses a response marks its tag so, and the version is as exact. */
const OF_VERSION = /^(?:W\/)?"v([1-9]\d{0,15})"$/;

/** The header If-Match as the versions that it names. Undefined for `*`, which any version matches. */
export const IfMatch = z
  .string()
  .transform((header) => (header === "*" ? undefined : versionsIn(header)))
  .meta({
    type: "string",
    description:
      "Make the change only if the pet has one of these ETags, or any for `*`. Otherwise the response is 412.",
    examples: ['"v1"'],
  });

/** The versions whose ETags a header lists. */
function versionsIn(header: string): number[] {
  return header.split(",").flatMap((item) => {
    const version = OF_VERSION.exec(item.trim())?.[1];
    return version === undefined ? [] : [Number(version)];
  });
}

/** The header If-None-Match, for the document: `representation` reads it, and no value of it is refused. */
export const IfNoneMatch = z.string().meta({
  description: "ETags of representations that you have: if one is current, the response is 304 without a body.",
  examples: ['"v1"'],
});

/** The ETag of a resource with this version, which grows with every change. */
export function etagOfVersion(version: number): string {
  return `"v${version}"`;
}

/** The ETag of a representation that has no version: a digest of its text. */
export function etagOfText(text: string): string {
  return `"${hash("sha1", text, "base64url")}"`;
}

/** Whether an If-None-Match header is `*` or lists this tag, by weak comparison. A tag may contain commas. */
export function matchesWeakly(header: string, tag: string): boolean {
  return header === "*" || (LIST.test(header) && header.match(/"[^"]*"/g)?.includes(tag) === true);
}

/** Responds to a read with JSON text, or with 304 if the client has this representation already. */
export function representation(context: RequestContext, text: string, etag: string): Response {
  const { headers, request } = context;
  headers["Cache-Control"] = "private, no-cache";
  headers.Vary = headers.Vary === undefined ? "Authorization" : `Authorization, ${headers.Vary}`;
  headers.ETag = etag;
  const known = request.headers.get("If-None-Match");
  if (known !== null && matchesWeakly(known, etag)) return new Response(null, { status: 304, headers });
  return jsonText(context, 200, text);
}

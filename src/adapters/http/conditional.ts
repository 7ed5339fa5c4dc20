import { hash } from "node:crypto";
import { z } from "zod";
import { type EntityTags, names, type Preconditions } from "../../domain/entity-tag.ts";
import type { RequestContext } from "./request-context.ts";
import type { RequestHead } from "./request-head.ts";

// ETags, and requests that depend on them. Source: RFC 9110, 8.8.3 and 13.1.

/** Tags in quotes between commas. A tag may contain commas, and elements of the list may be empty (RFC 9110, 5.6.1). */
const LIST = /^(?:[ \t]*(?:(?:W\/)?"[^"]*"[ \t]*)?(?:,|$))+$/;

/**
 * The tags in If-Match or If-None-Match, without their quotes; none if the header is malformed. A weak tag is as exact as
 * the strong one that a proxy made it from when it compressed the response.
 */
function tagsIn(header: string): EntityTags {
  if (header === "*") return "any";
  return LIST.test(header) ? [...header.matchAll(/"([^"]*)"/g)].map(([, tag = ""]) => tag) : [];
}

/** The tags that If-None-Match excludes from a change. A malformed header excludes all: it allows no more than a valid one. */
function excludedTagsIn(header: string): EntityTags {
  return LIST.test(header) ? tagsIn(header) : "any";
}

/** The headers of a conditional change. */
export const ConditionalChange = z.object({
  "If-Match": z
    .string()
    .transform(tagsIn)
    .meta({
      type: "string",
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
  description: "ETags of representations that you have: if one is current, the response is 304 without a body.",
  examples: ['"v1"'],
});

/** The header ETag for an entity tag. */
export function etagOf(tag: string): string {
  return `"${tag}"`;
}

/** The tag of a representation that has none of its own: a digest of its text. */
export function tagOfText(text: string): string {
  return hash("sha1", text, "base64url");
}

/** Whether the client has the representation with this ETag already: it names the tag in If-None-Match. */
export function isCurrent({ headers }: RequestHead, etag: string): boolean {
  const known = headers.get("If-None-Match");
  // Mostly the client sends the ETag as it got it: then the header need not be parsed.
  return known !== null && (known === etag || names(tagsIn(known), etag.slice(1, -1)));
}

/** What a read returns: JSON text with its ETag and, if another page follows, the header Link to it. */
export type Representation = { body: string; etag: string; link?: string | undefined };

/** Responds with a representation, or with 304 if the client has it already. */
export function representationResponse(context: RequestContext, found: Representation): Response {
  const { headers, request, newResponse } = context;
  const { status, body } = representationAnswer(found, request, headers);
  return newResponse(body, { status, headers });
}

/** The same before the runtime makes the response. Adds to the `headers`. */
export function representationAnswer(
  { body, etag, link }: Representation,
  request: RequestHead,
  headers: Record<string, string>,
): { status: number; body: string | null } {
  headers["Cache-Control"] = "private, no-cache";
  headers.Vary = headers.Vary === undefined ? "Authorization" : `Authorization, ${headers.Vary}`;
  headers.ETag = etag;
  if (link !== undefined) headers.Link = link;
  if (isCurrent(request, etag)) return { status: 304, body: null };
  headers["Content-Type"] = "application/json";
  return { status: 200, body };
}

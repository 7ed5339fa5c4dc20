import { PetstoreError } from "./errors.ts";

// An entity tag identifies a state of a resource. Clients know it as the resource's ETag. Source: RFC 9110, 8.8.3.

const EXCLUDED = "The resource exists already, or has an ETag that If-None-Match excludes. Nothing was changed.";

/** The tags that a request names: "any" names every tag of what exists. */
export type EntityTags = readonly string[] | "any";

/** The tag of a resource whose version grows with every change. */
export function tagOfVersion(version: number): string {
  return `v${version}`;
}

/** Whether a request names this tag. */
export function names(tags: EntityTags, tag: string): boolean {
  return tags === "any" || tags.includes(tag);
}

/** What a change requires of its resource: one of the tags in `ifMatch`, and none of those in `ifNoneMatch`. */
export type Preconditions = { ifMatch?: EntityTags | undefined; ifNoneMatch?: EntityTags | undefined };

/**
 * The tag is undefined for a resource that does not exist.
 * @throws precondition_failed unless each condition that is given is true. Source: RFC 9110, 13.2.2.
 */
export function requireTag(tag: string | undefined, { ifMatch, ifNoneMatch }: Preconditions = {}): void {
  const isNamedIn = (tags: EntityTags) => tag !== undefined && names(tags, tag);
  if (ifMatch !== undefined && !isNamedIn(ifMatch)) throw new PetstoreError("precondition_failed");
  if (ifNoneMatch !== undefined && isNamedIn(ifNoneMatch)) {
    throw new PetstoreError("precondition_failed", { message: EXCLUDED });
  }
}

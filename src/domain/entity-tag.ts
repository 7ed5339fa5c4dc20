import { PetstoreError } from "./errors.ts";

// An entity tag identifies a state of a resource. Clients know it as the resource's ETag. Source: RFC 9110, 8.8.3.

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

/**
 * The tag is undefined for a resource that does not exist.
 * @throws precondition_failed unless the tag is among the expected ones, if those are given
 */
export function requireTag(tag: string | undefined, expected: EntityTags | undefined): void {
  if (expected === undefined || (tag !== undefined && names(expected, tag))) return;
  throw new PetstoreError("precondition_failed");
}

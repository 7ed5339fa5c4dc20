import { PetstoreError } from "./errors.ts";

// An entity tag identifies a state of a resource. Clients know it as the resource's ETag. Source: RFC 9110, 8.8.3.

/** The tag of a resource whose version grows with every change. */
export function tagOfVersion(version: number): string {
  return `v${version}`;
}

/** @throws precondition_failed unless the tag is among the expected ones, if those are given */
export function requireTag(tag: string | undefined, expected: readonly string[] | undefined): void {
  if (expected === undefined || (tag !== undefined && expected.includes(tag))) return;
  throw new PetstoreError("precondition_failed");
}

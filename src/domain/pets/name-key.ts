import { hash } from "node:crypto";

const LENGTH = 22;

/**
 * Returns the same text for names that are equal when case is ignored: when they have the same NFKC form in lower case.
 * Computed here and not by an engine, so that every store agrees. It is a digest of 132 bits, because the NFKC form of a
 * name can be too long for an index.
 */
export function nameKey(name: string): string {
  return hash("sha256", name.normalize("NFKC").toLowerCase(), "base64url").slice(0, LENGTH);
}

import { SECRET_LIKE } from "../keys/secret.ts";

/** Shorter paths cannot contain a secret. */
const SHORTER_THAN_SECRETS = 40;
const MAX_LENGTH = 200;

/**
 * The part of a path that is kept: at most 200 characters, and nothing that looks like a secret. A long path is cut where
 * percent-encoding begins, which could disguise one; ids have none.
 */
export function keptPath(path: string): string {
  if (path.length < SHORTER_THAN_SECRETS) return path;
  const encoded = path.indexOf("%");
  const plain = encoded === -1 ? path : `${path.slice(0, encoded)}[...]`;
  const kept = plain.replace(SECRET_LIKE, "[key]");
  return kept.length > MAX_LENGTH ? `${kept.slice(0, MAX_LENGTH - 5)}[...]` : kept;
}

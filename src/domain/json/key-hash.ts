import { randomInt } from "node:crypto";
import { BACKSLASH } from "./characters.ts";
import { escapedUnit, escapeLength } from "./string-literal.ts";

/** Begins each hash, so that no client can choose keys with equal hashes. */
const SEED = randomInt(2 ** 32);
/** FNV-1a, 32 bits. */
const PRIME = 0x01000193;

/** A hash of the key whose valid literal, with its quotes, is from `start` to `end`: the same however it is escaped. */
export function keyHash(text: string, start: number, end: number): number {
  let hash = SEED;
  for (let at = start + 1; at < end - 1; at++) {
    let unit = text.charCodeAt(at);
    if (unit === BACKSLASH) {
      unit = escapedUnit(text, at) ?? 0;
      at += escapeLength(text, at) - 1;
    }
    hash = Math.imul(hash ^ unit, PRIME);
  }
  return hash;
}

import { PetstoreError } from "../errors.ts";

const MAX_DEPTH = 32;

/**
 * Checks what JSON.parse accepts: unlimited nesting, and duplicate keys in an object. Leaves the check of the syntax to
 * JSON.parse. `subject` names the text in messages. @throws invalid_json
 */
export function checkStructure(text: string, subject: string): void {
  /** For each open bracket: the keys of the object so far, or null for an array. */
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        const keys = open.at(-1);
        if (isKeyNext && keys && !addKey(keys, text.slice(at, end))) {
          throw new PetstoreError("invalid_json", { message: `${subject} names a key twice in one object.` });
        }
        isKeyNext = false;
        at = end - 1;
        break;
      }
      case "{":
      case "[":
        if (open.length === MAX_DEPTH) {
          throw new PetstoreError("invalid_json", {
            message: `${subject} is nested deeper than ${MAX_DEPTH} levels.`,
          });
        }
        isKeyNext = text[at] === "{";
        open.push(isKeyNext ? new Set() : null);
        break;
      case "}":
      case "]":
        open.pop();
        isKeyNext = false;
        break;
      case ",":
        isKeyNext = open.at(-1) instanceof Set;
        break;
    }
  }
}

/** Returns the index after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Adds the key of a string literal. Returns false when the set already has it. */
function addKey(keys: Set<string>, literal: string): boolean {
  const key = unescaped(literal);
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}

/** The value of a string literal. An invalid one is returned as it is: JSON.parse will refuse it. */
function unescaped(literal: string): string {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

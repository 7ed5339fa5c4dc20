import { PetstoreError } from "../errors.ts";

const MOST_LEVELS = 32;

/**
 * Looks at what JSON.parse lets pass: nesting without end, and objects that name a key twice.
 * Whether the text is JSON at all is left to JSON.parse. `subject` is what messages call the text. @throws invalid_json
 */
export function checkStructure(text: string, subject: string): void {
  /** For each open bracket: the keys so far of an object, null for an array. */
  const open: (Set<string> | null)[] = [];
  let isKeyNext = false;
  for (let at = 0; at < text.length; at++) {
    switch (text[at]) {
      case '"': {
        const end = endOfString(text, at);
        const keys = open.at(-1);
        if (isKeyNext && keys && !added(keys, text.slice(at, end))) {
          throw new PetstoreError("invalid_json", { message: `${subject} names a key twice in one object.` });
        }
        isKeyNext = false;
        at = end - 1;
        break;
      }
      case "{":
      case "[":
        if (open.length === MOST_LEVELS) {
          throw new PetstoreError("invalid_json", {
            message: `${subject} is nested deeper than ${MOST_LEVELS} levels.`,
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

/** The index after the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return text.length;
}

/** Adds the key that a string literal stands for, unless it is there already. */
function added(keys: Set<string>, literal: string): boolean {
  const key = unescaped(literal);
  if (keys.has(key)) return false;
  keys.add(key);
  return true;
}

/** The key that a string literal stands for. One that is not valid stands for itself: JSON.parse will refuse it. */
function unescaped(literal: string): string {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal;
  }
}

import { isSingleLine } from "../single-line.ts";

export const MAX_NAME_LENGTH = 100;

/** The rule for the name of a key or an operator. */
export const NAME_RULE = `must be 1 to ${MAX_NAME_LENGTH} characters, not blank, without control characters`;

export function isName(text: string): boolean {
  return isSingleLine(text, MAX_NAME_LENGTH);
}

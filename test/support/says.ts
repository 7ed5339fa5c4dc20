import { expect } from "bun:test";

/** A text of Markdown without links and marks, in one line, so that a sentence does not depend on where its lines end. */
export const inOneLine = (text: string): string =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(/\s+/g, " ");

/** Expects a statement, with what was observed in it, in the text of a page or of an OpenAPI document. */
export function says(text: string, statement: string): void {
  expect(text.includes(statement) ? statement : `${statement} — is not what is there`).toBe(statement);
}

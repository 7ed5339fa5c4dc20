/** The documents of the project, and the parts of their Markdown. */
import { expect } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const ROOT = join(import.meta.dir, "../..");

/** The text of a file of the project. */
export const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

const documentsIn = (folder: string) =>
  readdirSync(join(ROOT, folder))
    .filter((name) => name.endsWith(".md"))
    .toSorted()
    .map((name) => join(folder, name));

/** All documents. */
export const documents: readonly string[] = [".", "docs", "docs/development", "client"].flatMap(documentsIn);

/** Those for clients and operators. */
export const pages: readonly string[] = ["README.md", "SECURITY.md", "client/README.md", ...documentsIn("docs")];

/** The text without its blocks of code. */
export const withoutBlocks = (text: string): string => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, "");

/** The paragraphs, items of lists, rows of tables and headings of a text. */
export const partsOf = (text: string): string[] => text.split(/\n\s*\n|\n(?=\s*[-|#]|\s*\d+\. )/);

/** What a text has as code within its sentences. */
export const codesIn = (text: string): string[] => [...text.matchAll(/`([^`]+)`/g)].map(([, code = ""]) => code);

/** The cells of a row of a table. */
export const cellsOf = (row: string): string[] =>
  row
    .split(/(?<!\\)\|/)
    .slice(1, -1)
    .map((cell) => cell.trim());

/** The cells of the rows below the head of the table in this text that begins so. */
export function tableOf(text: string, ...head: string[]): string[][] {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${head.join(" | ")} |`));
  if (start === -1) return [];
  const end = lines.findIndex((line, at) => at > start && !line.startsWith("|"));
  return lines.slice(start + 2, end === -1 ? undefined : end).map(cellsOf);
}

/** A text of Markdown without links and marks, in one line, so that a sentence does not depend on where its lines end. */
export const inOneLine = (text: string): string =>
  text
    .replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("**", "")
    .replaceAll(/\s+/g, " ");

const known = new Map<string, string>();

/** A page in one line. */
export function pageInOneLine(page: string): string {
  const text = known.get(page) ?? inOneLine(read(page));
  known.set(page, text);
  return text;
}

/** Expects a statement in a text. */
export function says(text: string, statement: string): void {
  expect(text.includes(statement) ? statement : `${statement} — is not what is there`).toBe(statement);
}

/** Expects these statements in a page, in words without links and bold type: the test that calls this shows that they are true. */
export function states(page: string, ...statements: string[]): void {
  for (const statement of statements) says(pageInOneLine(page), statement);
}

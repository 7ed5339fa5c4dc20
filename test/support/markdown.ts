/** The documents of the project, and the parts of their Markdown. */
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

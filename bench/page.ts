import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
const BEGIN = "<!-- figures: written by `npm run bench -- --write` -->";
const END = "<!-- end of figures -->";

/** Puts the figures into docs/performance.md, between the two comments. @throws when they are not there */
export function writeToPage(figures: string): void {
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error("docs/performance.md has lost the comments that hold the figures.");
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${figures}\n\n${page.slice(end)}`);
}

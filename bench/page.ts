import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Findings } from "./outcomes.ts";

const PAGE = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
const BEGIN = "<!-- figures: written by `npm run bench -- --write` -->";
const END = "<!-- end of figures -->";

/** Puts the figures into docs/performance.md, between the two comments. Nothing is written while any is missing. */
export function writeToPage(figures: string, { outcomes }: Findings): void {
  if (outcomes.some(({ result }) => result !== "measured")) {
    console.error("docs/performance.md is left as it was: not every measure could be taken.");
    return;
  }
  const page = readFileSync(PAGE, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error("docs/performance.md has lost the comments that hold the figures.");
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${figures}\n\n${page.slice(end)}`);
}

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { chartOf, growthChartOf, ratesIn, tablesIn } from "./chart.ts";
import { gainsText } from "./report.ts";
import type { Results } from "./results.ts";

export const PAGE: string = fileURLToPath(new URL("../docs/performance.md", import.meta.url));
export const CHART: string = fileURLToPath(new URL("../docs/performance.svg", import.meta.url));
const REPORT: string = fileURLToPath(new URL("../docs/development/benchmarks.md", import.meta.url));
const BEGIN = "<!-- figures: written by `npm run bench -- --write` -->";
const END = "<!-- end of figures -->";

/**
 * Writes the report to docs/development/benchmarks.md, what a user gets to docs/performance.md, and its chart, if every benchmark has
 * run.
 */
export function writeToPages(report: string, results: Results): void {
  if (results.outcomes.some(({ result }) => result !== "measured")) {
    console.error("The pages were not changed: some benchmarks did not run.");
    return;
  }
  writeFigures(REPORT, report);
  writeFileSync(CHART, chartOf(ratesIn(writeFigures(PAGE, gainsText(results)))));
}

/** Writes figures between the two comments of a page. Returns the page. */
function writeFigures(path: string, figures: string): string {
  const page = readFileSync(path, "utf8");
  const [begin, end] = [page.indexOf(BEGIN), page.indexOf(END)];
  if (begin === -1 || end < begin) throw new Error(`${path} lacks the comments around the figures.`);
  const written = `${page.slice(0, begin + BEGIN.length)}\n\n${figures}\n\n${page.slice(end)}`;
  writeFileSync(path, written);
  return written;
}

export const GROWTH_PAGE: string = fileURLToPath(new URL("../docs/scaling.md", import.meta.url));
export const GROWTH_CHART: string = fileURLToPath(new URL("../docs/scaling.svg", import.meta.url));

/** Replaces a table of docs/scaling.md, which its first header names, and draws the chart again. */
export function writeGrowth(title: string, table: string): void {
  const page = readFileSync(GROWTH_PAGE, "utf8");
  const place = new RegExp(`^\\| ${title} .*\\n(\\|.*\\n)+`, "m");
  if (!place.test(page)) throw new Error(`docs/scaling.md has no table of ${title}.`);
  const written = page.replace(place, `${table}\n`);
  writeFileSync(GROWTH_PAGE, written);
  writeFileSync(GROWTH_CHART, growthChartOf(tablesIn(written)));
}

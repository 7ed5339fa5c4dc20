import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { growthChartOf, tablesIn } from "./growth-chart.ts";

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

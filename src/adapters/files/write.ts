import type { WritableContent } from "./content.ts";
import { rawCsvRows } from "./csv-table.ts";
import type { Format } from "./format.ts";
import { escapeFormula } from "./formula.ts";

/** The first line of a file, if its format has one. */
export function headerOf<Item>(format: Format, { columns }: WritableContent<Item>): string | undefined {
  return format === "ndjson" ? undefined : rawCsvRows([columns]);
}

/** Formats items as lines of a file. Spreadsheets do not run the texts in CSV as formulas, unless it is raw. */
export function linesOf<Item>(format: Format, { json, cells }: WritableContent<Item>, items: Item[]): string {
  if (format === "ndjson") return items.map((item) => `${json(item)}\n`).join("");
  const text = format === "csv" ? escapeFormula : (text: string) => text;
  return rawCsvRows(items.map((item) => cells(item, text)));
}

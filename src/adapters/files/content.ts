import type { z } from "zod";

// What the files of imports and exports contain: each line of NDJSON, or record of CSV, is an item.

/** How to read items. Columns of CSV, and fields of JSON, that are not named here are ignored. */
export type ReadableContent<Item> = {
  columns: Readonly<Record<string, "integer" | "text">>;
  /** The columns that the header of a CSV file must name. */
  required: readonly string[];
  /** The schema of a line that has this value. */
  schemaOf: (value: unknown) => z.ZodType<Item>;
};

/** How to write items. `cells` returns the columns of an item in CSV; it applies `text` to those that anyone may choose. */
export type WritableContent<Item> = {
  columns: readonly string[];
  /** The item as JSON text. */
  json: (item: Item) => string;
  cells: (item: Item, text: (text: string) => string) => string[];
};

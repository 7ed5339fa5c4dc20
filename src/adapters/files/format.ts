import { extname } from "node:path";

/** The file formats of imports and exports. */
export const formats = ["ndjson", "csv"] as const;

/** "raw-csv" is CSV whose texts are not escaped for spreadsheets. */
export type Format = (typeof formats)[number] | "raw-csv";

/** The format of a file whose texts are exact, if `isRaw`. */
export function withRaw(format: Format, isRaw = false): Format {
  return isRaw && format === "csv" ? "raw-csv" : format;
}

const formatOfExtension: Record<string, Format> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** The format by the extension of a file, or undefined for another extension. */
export function formatOf(path: string): Format | undefined {
  return formatOfExtension[extname(path).toLowerCase()];
}

import { extname } from "node:path";

/** The file formats of imports and exports. */
export const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

const formatOfExtension: Record<string, Format> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** The format by the extension of a file, or undefined for another extension. */
export function formatOf(path: string): Format | undefined {
  return formatOfExtension[extname(path).toLowerCase()];
}

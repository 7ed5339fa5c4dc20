import { extname } from "node:path";

/** The forms in which pets are kept in files. */
export const formats = ["ndjson", "csv"] as const;
export type Format = (typeof formats)[number];

const formatOfExtension: Record<string, Format> = {
  ".ndjson": "ndjson",
  ".jsonl": "ndjson",
  ".csv": "csv",
};

/** The format that a file's name tells, if it tells any. */
export function formatOf(path: string): Format | undefined {
  return formatOfExtension[extname(path).toLowerCase()];
}

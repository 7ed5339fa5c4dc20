// What the files of imports and exports are, wherever they come from.

export const formats = ["ndjson", "csv"] as const;

/** "raw-csv" is CSV whose texts are not escaped for spreadsheets. */
export type Format = (typeof formats)[number] | "raw-csv";

/** The format of a file whose texts are exact, if `isRaw`. */
export function withRaw(format: Format, isRaw = false): Format {
  return isRaw && format === "csv" ? "raw-csv" : format;
}

/** What became of lines that were imported; `statusKept`: pets that stay sold although their line says otherwise. */
export type ImportOutcome = {
  added: number;
  changed: number;
  unchanged: number;
  statusKept?: number;
  rejected: { line: number; reason: string }[];
};

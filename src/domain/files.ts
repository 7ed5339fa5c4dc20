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

/** Lines of a file that were rejected as they were in it. With `header` they begin a file of its format, which can be corrected. */
export function sourceOf(rejected: readonly { bytes: Uint8Array }[], header?: Uint8Array): Uint8Array {
  const lines = rejected.flatMap(({ bytes }) => [bytes, LINE_FEED]);
  return Buffer.concat(header === undefined ? lines : [header, ...lines]);
}

const LINE_FEED = new Uint8Array([0x0a]);

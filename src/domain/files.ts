// What the files of imports and exports are, wherever they come from.

export const formats = ["ndjson", "csv"] as const;

/** "raw-csv" is CSV whose texts are not escaped for spreadsheets. */
export type Format = (typeof formats)[number] | "raw-csv";

/** The format of a file whose texts are exact, if `isRaw`. */
export function withRaw(format: Format, isRaw = false): Format {
  return isRaw && format === "csv" ? "raw-csv" : format;
}

/** A line of a file, or lines `line` to `end` with one record, and their bytes: the beginning of a line that is too long. */
export type Source = { line: number; end: number; bytes: Uint8Array };

/** A line that is not imported. */
export type Rejected = Source & { reason: string };

/** What became of lines that were imported; `statusKept`: pets that stay sold although their line says otherwise. */
export type ImportOutcome = {
  added: number;
  changed: number;
  unchanged: number;
  statusKept?: number;
  rejected: Rejected[];
};

/** What became of the lines of an import so far. */
export type ImportCounts = Omit<ImportOutcome, "added" | "rejected"> & { imported: number; rejected: number };

export function addUp(counts: ImportCounts, outcome: ImportOutcome): ImportCounts {
  const { added, changed, unchanged, statusKept, rejected } = outcome;
  return {
    imported: counts.imported + added,
    changed: counts.changed + changed,
    unchanged: counts.unchanged + unchanged,
    ...(statusKept !== undefined && { statusKept: (counts.statusKept ?? 0) + statusKept }),
    rejected: counts.rejected + rejected.length,
  };
}

export const noLines: ImportCounts = { imported: 0, changed: 0, unchanged: 0, rejected: 0 };

/** What became of some lines of a file, and of all up to `line`; with the header of the file, and what stands before it. */
export type ImportBatch = ImportOutcome & { counts: ImportCounts; importId: string; line: number; header: Uint8Array };

/** Lines of a file that were rejected as they were in it. With `header` they begin a file of its format, which can be corrected. */
export function sourceOf(rejected: readonly { bytes: Uint8Array }[], header?: Uint8Array): Uint8Array {
  const lines = rejected.flatMap(({ bytes }) => [bytes, LINE_FEED]);
  return Buffer.concat(header === undefined ? lines : [header, ...lines]);
}

const LINE_FEED = new Uint8Array([0x0a]);

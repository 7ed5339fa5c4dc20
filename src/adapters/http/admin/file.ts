import { z } from "zod";

const formats = ["ndjson", "csv"] as const;

export type FileFormat = (typeof formats)[number];
/** The format of a file with its texts. "raw-csv" is CSV whose texts are not escaped for spreadsheets. */
export type Format = FileFormat | "raw-csv";

/** A query parameter that is true or false; false if it is left out. */
export const flag = (description: string) =>
  z
    .enum(["true", "false"], { error: "must be true or false" })
    .default("false")
    .transform((text) => text === "true")
    .meta({ type: "boolean", default: false, description });

/** Whether texts in CSV are exactly as they are stored. */
const raw = flag(
  "For CSV: `true` for texts without the apostrophe that keeps spreadsheets from running a text such as `=1+1` as a formula.",
);

/** The parameters of a file that replaces everything. */
export const RawQuery = z.object({ raw });

/** The parameters of an import. */
export const ImportQuery = z.object({
  raw,
  replace: flag("`true` changes the pet whose id a line has; otherwise ids are ignored, and every line adds a pet."),
  replaceStatus: flag(
    "With `replace`: `true` gives pets that a delivered order has sold the status of their line too; otherwise they stay sold.",
  ),
});

/** The parameters of an export: the format of its file. */
export const FileQuery = z.object({
  format: z
    .enum(formats, { error: `must be one of ${formats.join(", ")}` })
    .default("ndjson")
    .meta({ description: "The format of the file: one JSON object per line, or CSV with a header line." }),
  raw,
});

/** The format that the parameters of an import or an export give. */
export function formatOf({ format, raw }: z.output<typeof FileQuery>): Format {
  return raw && format === "csv" ? "raw-csv" : format;
}

/** The headers of a response that is a file to download. */
export function fileHeaders(name: string, format: Format): Record<string, string> {
  const isCsv = format !== "ndjson";
  return {
    "Content-Type": isCsv ? "text/csv; charset=utf-8" : "application/x-ndjson",
    "Content-Disposition": `attachment; filename="${name}.${isCsv ? "csv" : "ndjson"}"`,
  };
}

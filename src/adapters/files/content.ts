import { extname } from "node:path";
import type { z } from "zod";
import { codeOf } from "../../domain/errors.ts";
import type { Format, Rejected, Source } from "../../domain/files.ts";

// What the files of imports and exports contain: each line of NDJSON, or record of CSV, is an item.

/** How to read items. Columns of CSV, and fields of JSON, that are not named here are ignored. */
export type ReadableContent<Item> = {
  columns: Readonly<Record<string, "integer" | "text">>;
  /** The columns that the header of a CSV file must name. */
  required: readonly string[];
  schemaOf: (value: unknown) => z.ZodType<Item>;
};

/** How to write items. `cells` returns the columns of an item in CSV; it applies `text` to those that anyone may choose. */
export type WritableContent<Item> = {
  columns: readonly string[];
  json: (item: Item) => string;
  cells: (item: Item, text: (text: string) => string) => string[];
};

/** A line with its item, or with the reason why it is rejected. */
export type Entry<Item> = Accepted<Item> | Rejected;

export type Accepted<Item> = Source & { item: Item };

export function entryOf<Item>(source: Source, value: unknown, { schemaOf }: ReadableContent<Item>): Entry<Item> {
  const result = schemaOf(value).safeParse(value);
  if (result.success) return { ...source, item: result.data };
  const reasons = result.error.issues.map(({ path, message }) => `${path.join(".") || "The line"} ${message}.`);
  return rejected(source, reasons.join(" "));
}

export function rejected({ line, end, bytes }: Source, reason: string): Rejected {
  return { line, end, bytes, reason };
}

export function tooLong(source: Source, maxBytes: number): Rejected {
  return rejected(source, `The line must not be longer than ${maxBytes} bytes; this is its beginning.`);
}

export function isAccepted<Item>(entry: Entry<Item>): entry is Accepted<Item> {
  return "item" in entry;
}

export function isRejected<Item>(entry: Entry<Item>): entry is Rejected {
  return "reason" in entry;
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

/** A file cannot be read or written; the message states which and why. */
export class FileError extends Error {}

const REASONS: Record<string, string> = {
  ENOENT: "there is no such file or directory",
  EISDIR: "it is a directory",
  ENOTDIR: "a part of its path is not a directory",
  EACCES: "permission denied",
  EPERM: "permission denied",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is used up",
  EROFS: "the file system is read-only",
  EFBIG: "it would become too large",
  EMFILE: "too many files are open",
};

/** Describes an error of the file system; returns other errors unchanged. `participle`: "read" or "written". */
export function fileError(path: string, participle: "read" | "written", error: unknown): unknown {
  if (!(error instanceof Error) || !("syscall" in error)) return error;
  const code = String(codeOf(error));
  return new FileError(`${path} cannot be ${participle}: ${REASONS[code] ?? code}.`);
}

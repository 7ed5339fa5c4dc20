import { randomUUID } from "node:crypto";
import {
  appendFileSync,
  closeSync,
  createWriteStream,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { databaseOf, SQLITE_HEADER } from "../../domain/backups.ts";
import { codeOf } from "../../domain/errors.ts";
import type { Format, Rejected } from "../../domain/files.ts";
import { toJson } from "../../domain/json.ts";
import { FileError, fileError, type WritableContent } from "./content.ts";
import { escapeFormula, rawCsvRows } from "./csv-table.ts";

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

type Texts = Iterable<string> | AsyncIterable<string>;

/** Writes texts to a file with backpressure. On failure the file stays as it was. @throws FileError */
export async function writeFile(path: string, texts: Texts): Promise<void> {
  if (existsSync(path) && statSync(path).isDirectory()) {
    throw new FileError(`${path} cannot be written: it is a directory.`);
  }
  // A pipe or a device is written directly: it cannot be replaced by renaming a file.
  const isRegular = !existsSync(path) || statSync(path).isFile();
  if (isRegular && (isDatabase(path) || isDatabase(databaseOf(path)))) {
    throw new FileError(`${path} is a database, or belongs to one, and no other file replaces it.`);
  }
  const target = isRegular ? `${path}.unfinished-${randomUUID()}` : path;
  try {
    await pipeline(Readable.from(texts), createWriteStream(target));
    if (isRegular) renameSync(target, path);
  } catch (error) {
    if (isRegular) rmSync(target, { force: true });
    throw fileError(path, "written", error);
  }
}

function isDatabase(path = ""): boolean {
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  const file = openSync(path, "r");
  const header = Buffer.alloc(SQLITE_HEADER.length);
  try {
    readSync(file, header);
  } finally {
    closeSync(file);
  }
  return header.toString("latin1") === SQLITE_HEADER;
}

/** @throws FileError when there is a file, which would be replaced; a pipe or a device is not */
export function requireNoFile(path: string, remedy = ""): void {
  if (!existsSync(path) || !statSync(path).isFile()) return;
  throw new FileError(`${path} exists already. Choose another file${remedy}.`);
}

/** Writes texts to a stream with backpressure. Stops without an error when the reader closes it. @throws FileError */
export async function writeTo(stream: Writable, name: string, texts: Texts): Promise<void> {
  try {
    await pipeline(Readable.from(texts), stream, { end: false });
  } catch (error) {
    if (!isClosed(error)) throw fileError(name, "written", error);
  }
}

function isClosed(error: unknown): boolean {
  return ["EPIPE", "ERR_STREAM_PREMATURE_CLOSE", "ERR_STREAM_DESTROYED"].includes(String(codeOf(error)));
}

/** A file of rejected lines, which is created with the first of them. @throws FileError */
export class RejectedLines {
  readonly path: string;
  #file: number | undefined;

  /** `goesOn`: the file is that of the beginning of this import, and gets further lines. Otherwise an earlier one is removed. */
  constructor(path: string, goesOn: boolean) {
    this.path = path;
    if (!goesOn) this.#withFileError(() => rmSync(path, { force: true }));
  }

  /** @throws FileError when the file cannot be written: better before an import than at its first rejected line */
  requireWritable(): void {
    const isNew = !existsSync(this.path);
    this.#withFileError(() => {
      closeSync(openSync(this.path, "a", 0o600));
      if (isNew) rmSync(this.path);
    });
  }

  /** `format` returns the content of the file for these lines; `isFirst` if it has none yet. */
  add(lines: Rejected[], format: (lines: Rejected[], isFirst: boolean) => string | Uint8Array): void {
    if (lines.length === 0) return;
    this.#withFileError(() => {
      this.#file ??= openSync(this.path, "a", 0o600);
      appendFileSync(this.#file, format(lines, fstatSync(this.#file).size === 0));
    });
  }

  close(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #withFileError(action: () => void): void {
    try {
      action();
    } catch (error) {
      throw fileError(this.path, "written", error);
    }
  }
}

/** Rejected lines with their reasons, as NDJSON: `{"line":3,"reason":"name is required.","text":"{}"}`. */
export function reasonsOf(rejected: Rejected[]): string {
  return rejected.map(({ line, reason, bytes }) => `${toJson({ line, reason, text: textOf(bytes) })}\n`).join("");
}

const utf8 = new TextDecoder();

/** Bytes that are not UTF-8 become U+FFFD: the text is only shown, never imported. */
function textOf(bytes: Uint8Array): string {
  return utf8.decode(bytes).replace(/\r$/, "");
}

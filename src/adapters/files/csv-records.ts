import { parse } from "csv-parse/sync";
import { isBlank, type Line } from "./lines.ts";

/** A record of a CSV file and the line that it begins on: its fields, or why it is invalid. */
export type CsvRecord = { line: number; bytes: Uint8Array } & (
  | { fields: string[] }
  | { problem: "not UTF-8" | "not CSV" | "too long" }
);

const QUOTE = 0x22;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Combines lines into records (RFC 4180: a quoted field may span lines). A quote that is never closed makes one line
 * invalid, not the rest of the file: if the lines that it spans are not a record, reading continues after the first.
 */
export class CsvRecords {
  readonly #width: number;
  readonly #maxBytes: number;
  /** The lines of a record with an open quote. */
  #open: Line[] = [];
  #openSize = 0;

  /** `width`: the fields of a record. `maxBytes`: the most bytes of a record. */
  constructor(width: number, maxBytes: number) {
    this.#width = width;
    this.#maxBytes = maxBytes;
  }

  /** Returns the records that end on these lines. */
  take(lines: Line[]): CsvRecord[] {
    return parsed(lines.flatMap((line) => this.#group(line)));
  }

  /** Returns the remaining records at the end of the file. */
  end(): CsvRecord[] {
    const records: (Line | CsvRecord)[] = [];
    while (this.#open.length > 0) records.push(...this.#giveUp());
    return parsed(records);
  }

  /** Returns lines that are one record each, and records of several lines. */
  #group(line: Line): (Line | CsvRecord)[] {
    if (this.#open.length === 0) {
      if (isBlank(line)) return [];
      if (line.isTooLong || !hasOpenQuote(line)) return [line];
    }
    this.#open.push(line);
    this.#openSize += line.bytes.length + 1;
    if (line.isTooLong || this.#openSize > this.#maxBytes) return this.#giveUp();
    if (this.#open.length === 1 || !hasOpenQuote(line)) return [];
    const record = recordOf(this.#open);
    if (!("fields" in record) || record.fields.length !== this.#width) return this.#giveUp();
    this.#open = [];
    this.#openSize = 0;
    return [record];
  }

  /** Rejects the first line of the open record, and reads the other lines again. */
  #giveUp(): (Line | CsvRecord)[] {
    const [first, ...others] = this.#open;
    this.#open = [];
    this.#openSize = 0;
    if (first === undefined) return [];
    const invalid: CsvRecord = { line: first.number, bytes: first.bytes, problem: "not CSV" };
    return [invalid, ...others.flatMap((line) => this.#group(line))];
  }
}

function hasOpenQuote({ bytes }: Line): boolean {
  let quotes = 0;
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

/** Parses the lines among these: all at once, which is ten times as fast, or one by one if any of them is invalid. */
function parsed(records: (Line | CsvRecord)[]): CsvRecord[] {
  const lines = records.filter(isLine);
  const fields = fieldsOfAll(lines);
  if (fields === undefined) return records.map((record) => (isLine(record) ? recordOf([record]) : record));
  let next = 0;
  return records.map((record) => {
    if (!isLine(record)) return record;
    return { line: record.number, bytes: record.bytes, fields: fields[next++] ?? [] };
  });
}

function isLine(record: Line | CsvRecord): record is Line {
  return "isTooLong" in record;
}

/** Returns the fields of each line, or undefined if any line is not UTF-8, not CSV or too long. */
function fieldsOfAll(lines: Line[]): string[][] | undefined {
  if (lines.some(({ isTooLong }) => isTooLong)) return undefined;
  try {
    const fields = parseCsv(lines.map(({ bytes }) => `${utf8.decode(bytes)}\n`).join(""));
    return fields.length === lines.length ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** Parses the lines as one record. */
export function recordOf(lines: Line[]): CsvRecord {
  const [first] = lines;
  const bytes = first && lines.length === 1 ? first.bytes : Buffer.concat(lines.flatMap(withLineFeed));
  const record = { line: first?.number ?? 0, bytes };
  if (first?.isTooLong) return { ...record, problem: "too long" };
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    return { ...record, problem: "not UTF-8" };
  }
  try {
    const [fields, ...others] = parseCsv(text);
    return fields !== undefined && others.length === 0 ? { ...record, fields } : { ...record, problem: "not CSV" };
  } catch {
    return { ...record, problem: "not CSV" };
  }
}

function withLineFeed({ bytes }: Line): Uint8Array[] {
  return [bytes, new Uint8Array([0x0a])];
}

function parseCsv(text: string): string[][] {
  return parse(text, { relax_column_count: true, record_delimiter: ["\r\n", "\n"] });
}

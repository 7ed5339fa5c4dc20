import { parse } from "csv-parse/sync";
import { isBlank, type Line } from "./lines.ts";

/** A record of a CSV file, on the line it begins on: its fields, or why it has none. */
export type CsvRecord = { line: number; bytes: Uint8Array } & (
  | { fields: string[] }
  | { problem: "not UTF-8" | "not CSV" | "too long" }
);

const QUOTE = 0x22;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Puts lines together to records (RFC 4180: a quoted field may go over several lines). A quote that is never closed
 * spoils one line, not the rest of the file: where the lines that it spans make no record, reading goes on after the first.
 */
export class CsvRecords {
  readonly #width: number;
  readonly #largest: number;
  /** The lines of a record with an open quote. */
  #open: Line[] = [];
  #openSize = 0;

  /** `width`: how many fields a record has. `largest`: how many bytes at most. */
  constructor(width: number, largest: number) {
    this.#width = width;
    this.#largest = largest;
  }

  /** The records that end on these lines. */
  take(lines: Line[]): CsvRecord[] {
    return parsed(lines.flatMap((line) => this.#group(line)));
  }

  /** What is left when there are no more lines. */
  end(): CsvRecord[] {
    const records: (Line | CsvRecord)[] = [];
    while (this.#open.length > 0) records.push(...this.#giveUp());
    return parsed(records);
  }

  /** Lines that are a record each, and records of several lines. */
  #group(line: Line): (Line | CsvRecord)[] {
    if (this.#open.length === 0) {
      if (isBlank(line)) return [];
      if (line.isTooLong || !hasOpenQuote(line)) return [line];
    }
    this.#open.push(line);
    this.#openSize += line.bytes.length + 1;
    if (line.isTooLong || this.#openSize > this.#largest) return this.#giveUp();
    if (this.#open.length === 1 || !hasOpenQuote(line)) return [];
    const record = recordOf(this.#open);
    if (!("fields" in record) || record.fields.length !== this.#width) return this.#giveUp();
    this.#open = [];
    this.#openSize = 0;
    return [record];
  }

  /** The open record is none: its first line is a mistake, and the others stand for themselves. */
  #giveUp(): (Line | CsvRecord)[] {
    const [first, ...others] = this.#open;
    this.#open = [];
    this.#openSize = 0;
    if (first === undefined) return [];
    const mistake: CsvRecord = { line: first.number, bytes: first.bytes, problem: "not CSV" };
    return [mistake, ...others.flatMap((line) => this.#group(line))];
  }
}

function hasOpenQuote({ bytes }: Line): boolean {
  let quotes = 0;
  for (let at = bytes.indexOf(QUOTE); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) quotes += 1;
  return quotes % 2 === 1;
}

/** Parses the lines among these: all at once, which is ten times as fast, or one by one when there is a mistake in any. */
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

/** The fields of each line, or undefined when any of them is not UTF-8, not CSV or too long. */
function fieldsOfAll(lines: Line[]): string[][] | undefined {
  if (lines.some(({ isTooLong }) => isTooLong)) return undefined;
  try {
    const fields = parseCsv(lines.map(({ bytes }) => `${utf8.decode(bytes)}\n`).join(""));
    return fields.length === lines.length ? fields : undefined;
  } catch {
    return undefined;
  }
}

/** The one record that these lines make. */
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

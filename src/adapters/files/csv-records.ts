import { isBlank, type Line } from "./lines.ts";

/** A record of a CSV file and the line that it begins on: its fields, or why it is invalid. */
export type CsvRecord = { line: number; bytes: Uint8Array } & (
  | { fields: string[] }
  | { problem: "not UTF-8" | "not CSV" | "too long" }
);

const QUOTE = 0x22;
const LINE_FEED = new Uint8Array([0x0a]);
/** The most lines of a record: if it is invalid, they are read again, in one turn of the event loop. */
const MAX_LINES = 1_000;
/** A field in quotes, which are doubled inside it, or without; then a comma or the end. Takes time linear in the length. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;
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
    return lines.flatMap((line) => this.#add(line));
  }

  /** Returns the remaining records at the end of the file. */
  end(): CsvRecord[] {
    const records: CsvRecord[] = [];
    while (this.#open.length > 0) records.push(...this.#giveUp());
    return records;
  }

  #add(line: Line): CsvRecord[] {
    if (this.#open.length === 0) {
      if (isBlank(line)) return [];
      if (line.isTooLong || !hasOpenQuote(line)) return [recordOf([line])];
    }
    this.#open.push(line);
    this.#openSize += line.bytes.length + 1;
    if (line.isTooLong || this.#openSize > this.#maxBytes || this.#open.length > MAX_LINES) return this.#giveUp();
    if (this.#open.length === 1 || !hasOpenQuote(line)) return [];
    const record = recordOf(this.#open);
    if (!("fields" in record) || record.fields.length !== this.#width) return this.#giveUp();
    this.#open = [];
    this.#openSize = 0;
    return [record];
  }

  /** Rejects the first line of the open record, and reads the other lines again. */
  #giveUp(): CsvRecord[] {
    const [first, ...others] = this.#open;
    this.#open = [];
    this.#openSize = 0;
    if (first === undefined) return [];
    return [{ line: first.number, bytes: first.bytes, problem: "not CSV" }, ...this.take(others)];
  }
}

function hasOpenQuote({ bytes }: Line): boolean {
  let isOpen = false;
  for (const byte of bytes) if (byte === QUOTE) isOpen = !isOpen;
  return isOpen;
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
  const fields = fieldsOf(text);
  return fields === undefined ? { ...record, problem: "not CSV" } : { ...record, fields };
}

function withLineFeed({ bytes }: Line): Uint8Array[] {
  return [bytes, LINE_FEED];
}

/** Returns the fields of a record, or undefined if a quote is in the wrong place. */
function fieldsOf(record: string): string[] | undefined {
  const text = record.replace(/\r?\n?$/, "");
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const match = FIELD.exec(text);
    if (match === null) return undefined;
    const [, quoted, plain = "", end] = match;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "") return fields;
  }
}

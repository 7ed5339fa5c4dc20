import type { Format } from "../../domain/files.ts";
import { signedInt64 } from "../../domain/int64.ts";
import { type Shape, tryParseJson } from "../../domain/json.ts";
import { flatShape } from "../../domain/json-shape.ts";
import { type Entry, entryOf, FileError, type ReadableContent, rejected, tooLong } from "./content.ts";
import { unescapeFormula } from "./csv-table.ts";
import { isBlank, type Line, readLines } from "./input.ts";

/** A record of a CSV file and the line that it begins on: its fields, or why it is invalid. */
type CsvRecord = { line: number; bytes: Uint8Array } & (
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
class CsvRecords {
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
function recordOf(lines: Line[]): CsvRecord {
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

/** Integers in CSV: a spreadsheet that writes `1E+2` may have rounded them. */
const PLAIN_DIGITS = /^(?:0|-?[1-9]\d*)$/;

/** How to read the records of a CSV file. `textOf` undoes the escaping of texts for spreadsheets. */
type Reading<Item> = { content: ReadableContent<Item>; maxBytes: number; textOf: (text: string) => string };

/**
 * Reads a CSV file (RFC 4180). Its header names the columns, in any order; others are ignored. An empty cell counts as left
 * out. `maxBytes`: the most bytes of a line. @throws FileError when the header is invalid
 */
async function* readCsv<Item>(
  chunks: AsyncIterable<Uint8Array>,
  reading: Reading<Item>,
): AsyncGenerator<Entry<Item>[]> {
  const { content, maxBytes } = reading;
  let header: string[] | undefined;
  let records: CsvRecords | undefined;
  for await (const lines of readLines(chunks, maxBytes)) {
    if (header === undefined || records === undefined) {
      const first = lines.findIndex((line) => !isBlank(line));
      const [line] = lines.splice(0, first === -1 ? lines.length : first + 1).slice(-1);
      if (first === -1 || line === undefined) continue;
      header = headerOf(line, content);
      records = new CsvRecords(header.length, maxBytes);
    }
    const columns = header;
    yield records.take(lines).map((record) => entryOfRecord(record, columns, reading));
  }
  if (header === undefined || records === undefined)
    throw new FileError(`The file is empty. Its first line ${headerRule(content)}.`);
  const columns = header;
  yield records.end().map((record) => entryOfRecord(record, columns, reading));
}

function headerRule<Item>({ columns }: ReadableContent<Item>): string {
  return `must name the columns, such as ${Object.keys(columns)}`;
}

function headerOf<Item>(line: Line, content: ReadableContent<Item>): string[] {
  const record = recordOf([line]);
  const names = "fields" in record ? record.fields : [];
  const missing = content.required.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new FileError(`Line ${line.number} ${headerRule(content)}; it lacks ${missing.join(" and ")}.`);
  }
  const repeated = Object.keys(content.columns).find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) throw new FileError(`Line ${line.number} names the column ${repeated} twice.`);
  return names;
}

function entryOfRecord<Item>(
  record: CsvRecord,
  header: string[],
  { content, maxBytes, textOf }: Reading<Item>,
): Entry<Item> {
  const { line, bytes } = record;
  if ("problem" in record) {
    if (record.problem === "too long") return tooLong(line, bytes, maxBytes);
    return rejected(line, `The line is not valid ${record.problem === "not CSV" ? "CSV" : "UTF-8"}.`, bytes);
  }
  const { fields } = record;
  if (fields.length !== header.length) {
    const has = fields.length === 1 ? "1 field" : `${fields.length} fields`;
    return rejected(line, `The line has ${has}, the header has ${header.length}.`, bytes);
  }
  const cells = Object.entries(content.columns).map(([name, type]) => ({
    name,
    isInteger: type === "integer",
    cell: fields[header.indexOf(name)] || undefined,
  }));
  const malformed = cells.filter(({ isInteger, cell = "0" }) => isInteger && !PLAIN_DIGITS.test(cell));
  if (malformed.length > 0) {
    const reasons = malformed.map(({ name }) => `${name} must be an integer in plain digits, such as 12 or -7.`);
    return rejected(line, reasons.join(" "), bytes);
  }
  const values = cells.map(({ name, isInteger, cell }) => [
    name,
    cell && (isInteger ? (signedInt64(cell) ?? cell) : textOf(cell)),
  ]);
  return entryOf(line, Object.fromEntries(values), bytes, content);
}

/** Reads an NDJSON file: one JSON object per line, blank lines are skipped. `maxBytes`: the most bytes of a line. */
async function* readNdjson<Item>(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  content: ReadableContent<Item>,
): AsyncGenerator<Entry<Item>[]> {
  const shape = flatShape(Object.keys(content.columns));
  const entry = (line: Line) => entryOfLine(line, maxBytes, content, shape);
  for await (const lines of readLines(chunks, maxBytes)) {
    yield lines.filter((line) => !isBlank(line)).map(entry);
  }
}

function entryOfLine<Item>(
  { number, bytes, isTooLong }: Line,
  maxBytes: number,
  content: ReadableContent<Item>,
  shape: Shape,
): Entry<Item> {
  if (isTooLong) return tooLong(number, bytes, maxBytes);
  const result = tryParseJson(bytes, shape);
  if ("problem" in result) return rejected(number, `The line ${result.problem}.`, bytes);
  return entryOf(number, result.value, bytes, content);
}

/** Reads the items of a file. `maxBytes`: the most bytes of a line. @throws FileError for an invalid header of CSV */
export function readItems<Item>(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  content: ReadableContent<Item>,
  maxBytes: number,
): AsyncGenerator<Entry<Item>[]> {
  if (format === "ndjson") return readNdjson(chunks, maxBytes, content);
  const textOf = format === "csv" ? unescapeFormula : (text: string) => text;
  return readCsv(chunks, { content, maxBytes, textOf });
}

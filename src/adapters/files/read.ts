import type { Format, Source } from "../../domain/files.ts";
import { signedInt64 } from "../../domain/int64.ts";
import { flatShape, type Shape, tryParseJson } from "../../domain/json.ts";
import { type Entry, entryOf, FileError, type ReadableContent, rejected, tooLong } from "./content.ts";
import { unescapeFormula } from "./csv-table.ts";
import { isBlank, type Line, readLines } from "./input.ts";
import { isJson, JsonDocument } from "./json-document.ts";
import { examined, requireLineFeed, textOf } from "./text.ts";

/** A record of a CSV file: its fields, or why it is invalid. */
type CsvRecord = Source & ({ fields: string[] } | { problem: "UTF-8" | "CSV" | "too long" });

const QUOTE = 0x22;
const LINE_FEED = new Uint8Array([0x0a]);
/** The most lines of a record: if it is invalid, they are read again, in one turn of the event loop. */
const MAX_LINES = 1_000;
/** A field in quotes, which are doubled inside it, or without; then a separator or the end. Takes time linear in the length. */
function fieldPattern(separator: string): RegExp {
  const code = `\\u${separator.charCodeAt(0).toString(16).padStart(4, "0")}`;
  return new RegExp(`(?:"([^"]*(?:""[^"]*)*)"|([^"${code}]*))(${code}|$)`, "y");
}

/** What separates fields if the header shows it. */
const separators = [",", ";", "\t", "|"].map(fieldPattern);
/** The line before the header in which spreadsheets note the separator, and what separates empty cells if one saved it again. */
const SEPARATOR_LINE = /^"?sep= *(.)"?([,;\t|]?)[,;\t|]*\r?$/i;
/** A line before the header whose cells are all empty. */
const EMPTY_ROW = /^[\s,;|"]*$/;
const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Combines lines into records (RFC 4180: a quoted field may span lines). A quote that is never closed makes one line
 * invalid, not the rest of the file: if the lines that it spans are not a record, reading continues after the first.
 */
class CsvRecords {
  readonly #field: RegExp;
  readonly #width: number;
  readonly #maxBytes: number;
  #open: Line[] = [];
  #openSize = 0;

  /** `maxBytes`: the most bytes of a record. */
  constructor({ field, names }: Header, maxBytes: number) {
    this.#field = field;
    this.#width = names.length;
    this.#maxBytes = maxBytes;
  }

  take(lines: Line[]): CsvRecord[] {
    return lines.flatMap((line) => this.#add(line));
  }

  end(): CsvRecord[] {
    const records: CsvRecord[] = [];
    while (this.#open.length > 0) records.push(...this.#giveUp());
    return records;
  }

  #add(line: Line): CsvRecord[] {
    if (this.#open.length === 0) {
      if (isBlank(line)) return [];
      if (line.isTooLong || !hasOpenQuote(line)) return [recordOf([line], this.#field)];
    }
    this.#open.push(line);
    this.#openSize += line.bytes.length + 1;
    if (line.isTooLong || this.#openSize > this.#maxBytes || this.#open.length > MAX_LINES) return this.#giveUp();
    if (this.#open.length === 1 || !hasOpenQuote(line)) return [];
    const record = recordOf(this.#open, this.#field);
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
    return [{ ...sourceOf([first]), problem: "CSV" }, ...this.take(others)];
  }
}

function hasOpenQuote({ bytes }: Line): boolean {
  let isOpen = false;
  for (const byte of bytes) if (byte === QUOTE) isOpen = !isOpen;
  return isOpen;
}

/** The lines with a record. */
function sourceOf(lines: Line[]): Source {
  const [first, last] = [lines[0], lines.at(-1)];
  const bytes = lines.length === 1 ? first?.bytes : Buffer.concat(lines.flatMap(withLineFeed)).subarray(0, -1);
  return { line: first?.number ?? 0, end: last?.number ?? 0, bytes: bytes ?? new Uint8Array() };
}

function recordOf(lines: Line[], field: RegExp): CsvRecord {
  const source = sourceOf(lines);
  if (lines[0]?.isTooLong) return { ...source, problem: "too long" };
  let text: string;
  try {
    text = utf8.decode(source.bytes);
  } catch {
    return { ...source, problem: "UTF-8" };
  }
  const fields = fieldsOf(text, field);
  return fields === undefined ? { ...source, problem: "CSV" } : { ...source, fields };
}

function withLineFeed({ bytes }: Pick<Line, "bytes">): Uint8Array[] {
  return [bytes, LINE_FEED];
}

/** Returns the fields of a record, or undefined if a quote is in the wrong place. */
function fieldsOf(record: string, field: RegExp): string[] | undefined {
  const text = record.replace(/\r$/, "");
  const fields: string[] = [];
  field.lastIndex = 0;
  for (;;) {
    const match = field.exec(text);
    if (match === null) return undefined;
    const [, quoted, plain = "", end] = match;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === "") return fields;
  }
}

/** Whether a record has a cell that is not blank: spreadsheets write empty rows as separators alone. */
function hasContent(record: CsvRecord): boolean {
  return !("fields" in record) || record.fields.some((cell) => cell.trim() !== "");
}

/** The header of a CSV file: what separates fields, and the names of its columns as `normalized` gives them. */
type Header = { field: RegExp; names: string[] };

/** A spreadsheet's user writes `Category ID` for `categoryId`, and a database's `category_id`. */
function normalized(name: string): string {
  return name.replace(/[\s\ufeff_-]/g, "").toLowerCase();
}

/** Reads a line as a header: with the separator by which it names the most columns, unless `field` is given. */
function readHeader<Item>(line: Line, { columns }: ReadableContent<Item>, field?: RegExp): Header {
  const known = new Set(Object.keys(columns).map(normalized));
  const headers = (field === undefined ? separators : [field]).map((field) => {
    const record = recordOf([line], field);
    return { field, names: "fields" in record ? record.fields.map(normalized) : [] };
  });
  const score = ({ names }: Header) => names.filter((name) => known.has(name)).length;
  return headers.reduce((best, header) => (score(header) > score(best) ? header : best));
}

function missingIn<Item>({ names }: Header, { required }: ReadableContent<Item>): string[] {
  return required.filter((name) => !names.includes(normalized(name)));
}

/** @throws FileError when the line does not name the columns */
function headerOf<Item>(line: Line, content: ReadableContent<Item>, field?: RegExp): Header {
  const header = readHeader(line, content, field);
  const missing = missingIn(header, content);
  if (missing.length > 0) {
    const record = recordOf([line], header.field);
    if (isJson(line)) throw new FileError("The file is JSON, not CSV.");
    if ("problem" in record && record.problem !== "too long") {
      throw new FileError(`Line ${line.number} is not valid ${record.problem}. It ${headerRule(content)}.`);
    }
    throw new FileError(`Line ${line.number} ${headerRule(content)}; it lacks ${missing.join(" and ")}.`);
  }
  const { names } = header;
  const repeated = Object.keys(content.columns).find((name) => isRepeated(normalized(name), names));
  if (repeated !== undefined) throw new FileError(`Line ${line.number} names the column ${repeated} twice.`);
  return header;
}

function headerRule<Item>({ columns }: ReadableContent<Item>): string {
  return `must name the columns, such as ${Object.keys(columns)}`;
}

function isRepeated(name: string, names: string[]): boolean {
  return names.indexOf(name) !== names.lastIndexOf(name);
}

/** Integers in CSV: a spreadsheet that writes `1E+2` may have rounded them. */
const PLAIN_DIGITS = /^(?:0|-?[1-9]\d*)$/;

/** How to read a file. Lines before `fromLine` are read only for the header, which `onHeader` gets with what stands before it. */
export type Reading = { maxBytes: number; fromLine?: number | undefined; onHeader?: (bytes: Uint8Array) => void };

/** How to read the records of a CSV file. `textOf` undoes the escaping of texts for spreadsheets. */
type CsvReading<Item> = Reading & { content: ReadableContent<Item>; textOf: (text: string) => string };

/**
 * Reads a CSV file (RFC 4180, with any usual separator). Its header names the columns, in any order; others are ignored. An
 * empty cell counts as left out. @throws FileError when the header is invalid
 */
async function* readCsv<Item>(
  chunks: AsyncIterable<Uint8Array>,
  reading: CsvReading<Item>,
): AsyncGenerator<Entry<Item>[]> {
  const { content, maxBytes, fromLine = 1, onHeader } = reading;
  const before: Line[] = [];
  let header: Header | undefined;
  let records: CsvRecords | undefined;
  const entriesOf = (found: CsvRecord[], columns: Header) =>
    found
      .filter((record) => record.line >= fromLine && hasContent(record))
      .map((record) => entryOfRecord(record, columns, reading));
  for await (const lines of examined(readLines(chunks, maxBytes), fromLine)) {
    while (header === undefined) {
      const line = lines.shift();
      if (line === undefined) break;
      if (isEmptyRow(line)) continue;
      const separator = before.length === 0 ? separatorIn(line) : undefined;
      if (separator === undefined) header = headerOf(line, content, before[0] && fieldOf(before[0]));
      before.push(line);
      if (header !== undefined)
        onHeader?.(
          Buffer.concat(before.flatMap(({ mark = new Uint8Array(), ...line }) => [mark, ...withLineFeed(line)])),
        );
    }
    if (header === undefined) continue;
    records ??= new CsvRecords(header, maxBytes);
    yield entriesOf(records.take(lines), header);
  }
  if (header === undefined || records === undefined)
    throw new FileError(`The file is empty. Its first line ${headerRule(content)}.`);
  yield entriesOf(records.end(), header);
}

/** Returns the separator that a line before the header notes. */
function separatorIn({ bytes }: Line): string | undefined {
  const [, named, used] = SEPARATOR_LINE.exec(Buffer.from(bytes).toString("latin1")) ?? [];
  return used || named;
}

function isEmptyRow({ bytes }: Line): boolean {
  return EMPTY_ROW.test(Buffer.from(bytes).toString("latin1"));
}

function fieldOf(line: Line): RegExp {
  return fieldPattern(separatorIn(line) ?? ",");
}

function entryOfRecord<Item>(
  record: CsvRecord,
  { field, names }: Header,
  { content, maxBytes, textOf }: CsvReading<Item>,
): Entry<Item> {
  requireLineFeed(record, (text) => fieldsOf(text, field)?.length === names.length);
  if ("problem" in record) {
    if (record.problem === "too long") return tooLong(record, maxBytes);
    return rejected(record, `The line is not valid ${record.problem}.`);
  }
  const { fields, ...source } = record;
  if (fields.length !== names.length) {
    const has = fields.length === 1 ? "1 field" : `${fields.length} fields`;
    return rejected(record, `The line has ${has}, the header has ${names.length}.`);
  }
  const cells = Object.entries(content.columns).map(([name, type]) => ({
    name,
    isInteger: type === "integer",
    cell: fields[names.indexOf(normalized(name))] || undefined,
  }));
  const malformed = cells.filter(({ isInteger, cell = "0" }) => isInteger && !PLAIN_DIGITS.test(cell));
  if (malformed.length > 0) {
    const reasons = malformed.map(({ name }) => `${name} must be an integer in plain digits, such as 12 or -7.`);
    return rejected(record, reasons.join(" "));
  }
  const values = cells.map(({ name, isInteger, cell }) => [
    name,
    cell && (isInteger ? (signedInt64(cell) ?? cell) : textOf(cell)),
  ]);
  return entryOf(source, Object.fromEntries(values), content);
}

/** Reads an NDJSON file: one JSON object per line, blank lines are skipped. @throws FileError when it is something else */
async function* readNdjson<Item>(
  chunks: AsyncIterable<Uint8Array>,
  { maxBytes, fromLine = 1 }: Reading,
  content: ReadableContent<Item>,
): AsyncGenerator<Entry<Item>[]> {
  const shape = flatShape(Object.keys(content.columns));
  const document = new JsonDocument(content, fromLine);
  let isBegun = false;
  const examine = (line: Line) => {
    if (!isBegun && !isJson(line) && isHeader(line, content)) throw new FileError("The file is CSV, not NDJSON.");
    isBegun = true;
    document.add(line);
  };
  for await (const lines of examined(readLines(chunks, maxBytes), fromLine, examine)) {
    const wanted = lines.filter((line) => line.number >= fromLine && !isBlank(line));
    yield wanted.map((line) => entryOfLine(line, maxBytes, content, shape));
  }
}

/** Whether a line begins a CSV file. */
function isHeader<Item>(line: Line, content: ReadableContent<Item>): boolean {
  return separatorIn(line) !== undefined || missingIn(readHeader(line, content), content).length === 0;
}

function entryOfLine<Item>(line: Line, maxBytes: number, content: ReadableContent<Item>, shape: Shape): Entry<Item> {
  const source = sourceOf([line]);
  const isObject = (text: string) => "value" in tryParseJson(Buffer.from(text, "latin1"), shape);
  if (line.isTooLong) {
    requireLineFeed(source, isObject);
    return tooLong(source, maxBytes);
  }
  const result = tryParseJson(line.bytes, shape);
  if ("problem" in result) {
    requireLineFeed(source, isObject);
    return rejected(source, `The line ${result.problem}.`);
  }
  return entryOf(source, result.value, content);
}

/**
 * Reads the items of a file. @throws FileError when it is not of this format, which is known before any item in most cases
 */
export function readItems<Item>(
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
  content: ReadableContent<Item>,
  reading: Reading,
): AsyncGenerator<Entry<Item>[]> {
  const text = textOf(chunks);
  if (format === "ndjson") return readNdjson(text, reading, content);
  const unescaped = format === "csv" ? unescapeFormula : (text: string) => text;
  return readCsv(text, { ...reading, content, textOf: unescaped });
}

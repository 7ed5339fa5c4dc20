import { signedInt64 } from "../../domain/int64.ts";
import type { ReadableContent } from "./content.ts";
import { type CsvRecord, CsvRecords, recordOf } from "./csv-records.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { FileError } from "./file-error.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

/** Integers in CSV: a spreadsheet that writes `1E+2` may have rounded them. */
const PLAIN_DIGITS = /^(?:0|-?[1-9]\d*)$/;

/** How to read the records of a CSV file. `textOf` undoes the escaping of texts for spreadsheets. */
type Reading<Item> = { content: ReadableContent<Item>; maxBytes: number; textOf: (text: string) => string };

/**
 * Reads a CSV file (RFC 4180). Its header names the columns, in any order; others are ignored. An empty cell counts as left
 * out. `maxBytes`: the most bytes of a line. @throws FileError when the header is invalid
 */
export async function* readCsv<Item>(
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

import { int64Of } from "../../domain/int64.ts";
import type { ReadableContent } from "./content.ts";
import { type CsvRecord, CsvRecords, recordOf } from "./csv-records.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { FileError } from "./file-error.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

/** Integers in CSV have the syntax of JSON (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

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
    return rejected(line, `The line has ${fields.length} fields, the header has ${header.length}.`, bytes);
  }
  const cellOf = ([name, type]: [string, "integer" | "text"]) => {
    const cell = fields[header.indexOf(name)] || undefined;
    return [name, type === "integer" ? integerOf(cell) : cell && textOf(cell)];
  };
  return entryOf(line, Object.fromEntries(Object.entries(content.columns).map(cellOf)), bytes, content);
}

/** Parses an integer. Returns another text unchanged, for the schema to refuse. */
function integerOf(text: string | undefined): bigint | string | undefined {
  if (text === undefined || !NUMBER.test(text)) return text;
  return int64Of(text) ?? text;
}

import { int64Of } from "../../domain/int64.ts";
import type { Pet } from "../../domain/pets/pet.ts";
import { type CsvRecord, CsvRecords, recordOf } from "./csv-records.ts";
import { rawCsvRows } from "./csv-table.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { FileError } from "./file-error.ts";
import { escapeFormula, unescapeFormula } from "./formula.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

const COLUMNS = ["id", "name", "categoryId", "status"] as const;
const REQUIRED = ["name", "categoryId"] as const;
const HEADER_RULE = "must name the columns, such as name,categoryId,status";

/** Integers in CSV have the syntax of JSON (RFC 8259, section 6). */
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Reads pets from a CSV file (RFC 4180). Its header names the columns name, categoryId and optionally status, in any
 * order; other columns are ignored. Names are escaped for spreadsheets; `nameOf` undoes it. `maxBytes`: the most bytes
 * of a line. @throws FileError when the header is invalid
 */
export async function* readCsv(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  nameOf: (text: string) => string = unescapeFormula,
): AsyncGenerator<Entry[]> {
  let header: string[] | undefined;
  let records: CsvRecords | undefined;
  for await (const lines of readLines(chunks, maxBytes)) {
    if (header === undefined || records === undefined) {
      const first = lines.findIndex((line) => !isBlank(line));
      const [line] = lines.splice(0, first === -1 ? lines.length : first + 1).slice(-1);
      if (first === -1 || line === undefined) continue;
      header = headerOf(line);
      records = new CsvRecords(header.length, maxBytes);
    }
    const columns = header;
    yield records.take(lines).map((record) => entryOfRecord(record, columns, maxBytes, nameOf));
  }
  if (header === undefined || records === undefined)
    throw new FileError(`The file is empty. Its first line ${HEADER_RULE}.`);
  const columns = header;
  yield records.end().map((record) => entryOfRecord(record, columns, maxBytes, nameOf));
}

/** The same for names exactly as they are. */
export function readRawCsv(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<Entry[]> {
  return readCsv(chunks, maxBytes, (name) => name);
}

function headerOf(line: Line): string[] {
  const record = recordOf([line]);
  const names = "fields" in record ? record.fields : [];
  const missing = REQUIRED.filter((name) => !names.includes(name));
  if (missing.length > 0) {
    throw new FileError(`Line ${line.number} ${HEADER_RULE}; it lacks ${missing.join(" and ")}.`);
  }
  const repeated = COLUMNS.find((name) => names.indexOf(name) !== names.lastIndexOf(name));
  if (repeated !== undefined) throw new FileError(`Line ${line.number} names the column ${repeated} twice.`);
  return names;
}

function entryOfRecord(record: CsvRecord, header: string[], maxBytes: number, nameOf: (text: string) => string): Entry {
  const { line, bytes } = record;
  if ("problem" in record) {
    if (record.problem === "too long") return tooLong(line, bytes, maxBytes);
    return rejected(line, `The line is not valid ${record.problem === "not CSV" ? "CSV" : "UTF-8"}.`, bytes);
  }
  const { fields } = record;
  if (fields.length !== header.length) {
    return rejected(line, `The line has ${fields.length} fields, the header has ${header.length}.`, bytes);
  }
  const field = (name: (typeof COLUMNS)[number]) => fields[header.indexOf(name)] || undefined;
  const name = field("name");
  const value = { name: name && nameOf(name), categoryId: integerOf(field("categoryId")), status: field("status") };
  return entryOf(line, value, bytes);
}

/** Parses an integer. Returns another text unchanged, for the schema to refuse. */
function integerOf(text: string | undefined): bigint | string | undefined {
  if (text === undefined || !NUMBER.test(text)) return text;
  return int64Of(text) ?? text;
}

/** The first line of a CSV file of pets. */
export function csvHeader(): string {
  return rawCsvRows([COLUMNS]);
}

/** Formats pets as CSV (RFC 4180, but lines end in a line feed only). Spreadsheets do not run the names as formulas. */
export function writeCsv(pets: Pet[]): string {
  return writeRawCsv(pets.map((pet) => ({ ...pet, name: escapeFormula(pet.name) })));
}

/** The same with names exactly as they are. */
export function writeRawCsv(pets: Pet[]): string {
  return rawCsvRows(pets.map((pet) => COLUMNS.map((column) => String(pet[column]))));
}

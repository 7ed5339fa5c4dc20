import type { ReadableContent } from "./content.ts";
import { readCsv } from "./csv.ts";
import type { Entry } from "./entry.ts";
import type { Format } from "./format.ts";
import { unescapeFormula } from "./formula.ts";
import { readNdjson } from "./ndjson.ts";

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

import { PetstoreError } from "../../domain/errors.ts";
import { parseJson } from "../../domain/json/parse.ts";
import type { ReadableContent } from "./content.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

/** Reads an NDJSON file: one JSON object per line, blank lines are skipped. `maxBytes`: the most bytes of a line. */
export async function* readNdjson<Item>(
  chunks: AsyncIterable<Uint8Array>,
  maxBytes: number,
  content: ReadableContent<Item>,
): AsyncGenerator<Entry<Item>[]> {
  for await (const lines of readLines(chunks, maxBytes)) {
    yield lines.filter((line) => !isBlank(line)).map((line) => readLine(line, maxBytes, content));
  }
}

function readLine<Item>(
  { number, bytes, isTooLong }: Line,
  maxBytes: number,
  content: ReadableContent<Item>,
): Entry<Item> {
  if (isTooLong) return tooLong(number, bytes, maxBytes);
  try {
    return entryOf(number, parseJson(bytes, "The line"), bytes, content);
  } catch (error) {
    if (error instanceof PetstoreError) return rejected(number, error.message, bytes);
    throw error;
  }
}

import { tryParseJson } from "../../domain/json/parse.ts";
import { flatShape, type Shape } from "../../domain/json/shape.ts";
import type { ReadableContent } from "./content.ts";
import { type Entry, entryOf, rejected, tooLong } from "./entry.ts";
import { isBlank, type Line, readLines } from "./lines.ts";

/** Reads an NDJSON file: one JSON object per line, blank lines are skipped. `maxBytes`: the most bytes of a line. */
export async function* readNdjson<Item>(
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

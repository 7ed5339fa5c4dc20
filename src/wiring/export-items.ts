import { setImmediate as nextTurn } from "node:timers/promises";
import type { Format, WritableContent } from "../adapters/files/content.ts";
import { headerOf, linesOf } from "../adapters/files/write.ts";

/** Yields pages of items as the text of a file. Calls `exported` with the size of each page. */
export async function* exportItems<Item>(
  pages: Iterable<Item[]> | AsyncIterable<Item[]>,
  content: WritableContent<Item>,
  format: Format,
  exported: (count: number) => void = () => {},
): AsyncGenerator<string> {
  const header = headerOf(format, content);
  if (header !== undefined) yield header;
  for await (const page of pages) {
    exported(page.length);
    yield linesOf(format, content, page);
    // A fast reader takes each page at once, and pages of SQLite are read at once: requests need a turn between them.
    await nextTurn();
  }
}

import type { Awaitable } from "../domain/awaitable.ts";

/** Items that are read at a time: few enough that reading and formatting them takes about a millisecond. */
const PAGE = 100;

type Page<Id> = { limit: number; after: Id | undefined };

/** Yields a list page by page: all of it, or at most `limit` items, those after `after`. */
export async function* pagesOf<Item extends { id: number | bigint }>(
  list: (page: Page<bigint>) => Awaitable<Item[]>,
  { limit = Infinity, after }: { limit?: number | undefined; after?: bigint | undefined } = {},
): AsyncGenerator<Item[]> {
  let last = after;
  for (let left = limit; left > 0; left -= PAGE) {
    const page = { limit: Math.min(left, PAGE), after: last };
    const found = await list(page);
    if (found.length > 0) yield found;
    if (found.length < page.limit) return;
    last = BigInt(found.at(-1)?.id ?? 0);
  }
}

import type { Awaitable } from "../domain/awaitable.ts";

/** Items that are read at a time: few enough that reading and formatting them takes about a millisecond. */
const PAGE = 100;

/** Yields all items of a list after the id `start`, page by page, in the order of the list. */
export async function* pagesOf<Item extends { id: number | bigint }>(
  list: (page: { limit: number; after: bigint | undefined }) => Awaitable<Item[]>,
  start?: bigint,
): AsyncGenerator<Item[]> {
  let after = start;
  for (;;) {
    const page = await list({ limit: PAGE, after });
    const last = page.at(-1);
    if (last !== undefined) yield page;
    if (last === undefined || page.length < PAGE) return;
    after = BigInt(last.id);
  }
}

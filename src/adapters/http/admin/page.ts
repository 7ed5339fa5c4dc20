import type { Awaitable } from "../../../domain/awaitable.ts";

/** A page of a list. `next` is the id of its last item, after which the next page begins; null on the last page. */
type Page<Item extends { id: unknown }> = { items: Item[]; next: Item["id"] | null };

/** Reads a page of at most `limit` items, and one item more, to find out whether another page follows. */
export async function readPage<Item extends { id: unknown }>(
  limit: number,
  list: (limit: number) => Awaitable<Item[]>,
): Promise<Page<Item>> {
  const found = await list(limit + 1);
  const items = found.slice(0, limit);
  return { items, next: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}

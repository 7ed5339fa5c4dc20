import type { Category, CategoryStore } from "../domain/categories.ts";

/** A line of a file that names a category: the one with its id, or a new one. */
type Line = { item: Pick<Category, "name"> & { id?: bigint | undefined } };

/**
 * Lines each of which wants the name that the category of the next one has. In a cycle the last one wants that of the first:
 * `cycle` has its categories with their new names.
 */
export type NameChain<L> = { lines: L[]; cycle?: Category[] };

/** Returns the chain that begins with this line; undefined if it leads to a name that no line gives up. */
export async function chainFrom<L extends Line>(
  first: L,
  lines: L[],
  categories: CategoryStore,
): Promise<NameChain<L> | undefined> {
  const chain = [first];
  const named: Category[] = [];
  for (let last = first; ; ) {
    const [owner] = await categories.list({ name: last.item.name, limit: 1 });
    if (owner === undefined) return { lines: chain };
    const next = lines.find(({ item }) => item.id === owner.id);
    if (next === undefined) return undefined;
    named.push({ id: owner.id, name: next.item.name });
    if (next === first) return { lines: chain, cycle: named };
    if (chain.includes(next)) return undefined;
    chain.push(next);
    last = next;
  }
}

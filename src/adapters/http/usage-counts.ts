import { OTHER } from "../../domain/usage/counting.ts";

/**
 * Returns the function that returns the counts of these operations, in this order. It adds counts under unknown names, from
 * another version, to `other`.
 */
export function countsOf(names: readonly string[]) {
  const none = Object.fromEntries(names.map((name): [string, number] => [name, 0]));
  return (byOperation: Record<string, number>): Record<string, number> => {
    // A copy takes a tenth of the time of a new object from names.
    const counts = { ...none };
    for (const [name, count] of Object.entries(byOperation)) {
      const known = Object.hasOwn(counts, name) ? name : OTHER;
      counts[known] = (counts[known] ?? 0) + count;
    }
    return counts;
  };
}

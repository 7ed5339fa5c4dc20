import { OTHER } from "../../domain/usage/recorder.ts";

/** Counts of these operations. Counts under unknown names, from another version, are added to `other`. */
export function countsOf(names: readonly string[], byOperation: Record<string, number>): Record<string, number> {
  const counts = Object.fromEntries(names.map((name): [string, number] => [name, 0]));
  for (const [name, count] of Object.entries(byOperation)) {
    const known = Object.hasOwn(counts, name) ? name : OTHER;
    counts[known] = (counts[known] ?? 0) + count;
  }
  return counts;
}

import { OTHER } from "../../domain/usage/recorder.ts";

/** How often each of these operations was called. What another version counted under other names is added to `other`. */
export function countsOf(names: readonly string[], byOperation: Record<string, number>): Record<string, number> {
  const counts = Object.fromEntries(names.map((name): [string, number] => [name, 0]));
  for (const [name, count] of Object.entries(byOperation)) {
    const known = Object.hasOwn(counts, name) ? name : OTHER;
    counts[known] = (counts[known] ?? 0) + count;
  }
  return counts;
}

import type { Accepted, Format } from "../adapters/files/content.ts";
import { type CategoryLine, categoryLines } from "../adapters/files/items.ts";
import type { CategoryAdministration, CategoryStore } from "../domain/categories.ts";
import { PetstoreError } from "../domain/errors.ts";
import type { Clock } from "../domain/time.ts";
import { makeChanges } from "./import-changes.ts";
import { type Batch, importItems } from "./import-items.ts";
import { chainFrom } from "./name-chains.ts";

/** Where categories are imported to. */
export type CategoryImportTarget = {
  categories: CategoryStore;
  administration: CategoryAdministration;
  clock: Clock;
};

type Result = "added" | "changed" | "unchanged";

/**
 * Imports the categories of a file, line by line, because a name may be free only after another line: creates or renames
 * the one with the id of a line, or creates one under a new id. Lines of a batch may swap names. See `importItems`.
 */
export function importCategories(
  target: CategoryImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
): AsyncGenerator<Batch> {
  return importItems(chunks, format, categoryLines, async (entries) => {
    const first = await makeChanges(entries, 1, (line) => importCategory(target, line));
    const refused = first.rejected.map(({ line }) => line);
    const waiting = entries.filter((entry) => refused.includes(entry.line) && isLastOfItsId(entry, entries));
    const later = await swapNames(target, waiting);
    const results = [...first.results, ...later.values()];
    const count = (wanted: Result) => results.filter((result) => result === wanted).length;
    return {
      added: count("added"),
      changed: count("changed"),
      unchanged: count("unchanged"),
      rejected: first.rejected.filter(({ line }) => !later.has(line)),
    };
  });
}

async function importCategory(
  { categories, administration, clock }: CategoryImportTarget,
  { id, name }: CategoryLine,
): Promise<Result> {
  if (id === undefined) {
    await administration.create({ name }, clock());
    return "added";
  }
  const before = await categories.get(id);
  if (before?.name === name) return "unchanged";
  await administration.put({ id, name }, clock());
  return before === undefined ? "added" : "changed";
}

/** Whether a line is the last one about its category. An earlier one would undo a later one if it were imported after it. */
function isLastOfItsId({ line, item: { id } }: Accepted<CategoryLine>, entries: Accepted<CategoryLine>[]): boolean {
  return id === undefined || !entries.some((other) => other.line > line && other.item.id === id);
}

/** Imports the lines that only wait for each other's names. Returns the results by line; the others stay refused. */
async function swapNames(
  target: CategoryImportTarget,
  waiting: Accepted<CategoryLine>[],
): Promise<Map<number, Result>> {
  const results = new Map<number, Result>();
  for (const first of waiting) {
    const left = waiting.filter(({ line }) => !results.has(line));
    const chain = left.includes(first) ? await chainFrom(first, left, target.categories) : undefined;
    if (chain === undefined) continue;
    try {
      if (chain.cycle !== undefined) await target.administration.rename(chain.cycle, target.clock());
      for (const { line, item } of chain.lines.toReversed()) {
        results.set(line, chain.cycle === undefined ? await importCategory(target, item) : "changed");
      }
    } catch (error) {
      // Another process has taken a name in the meantime.
      if (!(error instanceof PetstoreError) || error.isFailure) throw error;
    }
  }
  return results;
}

import { type CategoryLine, categoryLines } from "../adapters/files/categories.ts";
import type { Format } from "../adapters/files/format.ts";
import type { CategoryAdministration } from "../domain/categories/administration.ts";
import type { CategoryStore } from "../domain/categories/store.ts";
import type { Clock } from "../domain/clock.ts";
import { makeChanges } from "./import-changes.ts";
import { type Batch, importItems } from "./import-items.ts";

/** Where categories are imported to. */
export type CategoryImportTarget = {
  categories: CategoryStore;
  administration: CategoryAdministration;
  clock: Clock;
};

type Result = "added" | "changed" | "unchanged";

/**
 * Imports the categories of a file, line by line, because a name may be free only after an earlier line: creates or renames
 * the one with the id of a line, or creates one under a new id. See `importItems`.
 */
export function importCategories(
  target: CategoryImportTarget,
  chunks: AsyncIterable<Uint8Array>,
  format: Format,
): AsyncGenerator<Batch> {
  return importItems(chunks, format, categoryLines, async (entries) => {
    const { results, rejected } = await makeChanges(entries, 1, (line) => importCategory(target, line));
    const count = (wanted: Result) => results.filter((result) => result === wanted).length;
    return { added: count("added"), changed: count("changed"), unchanged: count("unchanged"), rejected };
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

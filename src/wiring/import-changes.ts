import { type Accepted, type Rejected, rejected } from "../adapters/files/content.ts";
import { PetstoreError } from "../domain/errors.ts";

/**
 * Makes a change for each line: at most `atOnce` at once, and never two of one id. Returns the results, and the lines whose
 * change was refused, with the reason. @throws service_unavailable
 */
export async function makeChanges<Item extends { id?: bigint | undefined }, Result>(
  entries: Accepted<Item>[],
  atOnce: number,
  change: (item: Item) => Promise<Result>,
): Promise<{ results: Result[]; rejected: Rejected[] }> {
  const results: Result[] = [];
  const refused: Rejected[] = [];
  for (const group of groupsOf(entries, atOnce)) {
    const outcomes = await Promise.allSettled(group.map(({ item }) => change(item)));
    for (const [i, { line, bytes }] of group.entries()) {
      const outcome = outcomes[i];
      if (outcome?.status === "fulfilled") results.push(outcome.value);
      else refused.push(rejected(line, refusalIn(outcome?.reason), bytes));
    }
  }
  return { results, rejected: refused };
}

/** Divides lines into groups of at most `size` consecutive ones, with different ids. */
function groupsOf<Item extends { id?: bigint | undefined }>(
  entries: Accepted<Item>[],
  size: number,
): Accepted<Item>[][] {
  const groups: Accepted<Item>[][] = [];
  let group: Accepted<Item>[] = [];
  for (const entry of entries) {
    const { id } = entry.item;
    if (group.length === size || (id !== undefined && group.some(({ item }) => item.id === id))) {
      groups.push(group);
      group = [];
    }
    group.push(entry);
  }
  return group.length === 0 ? groups : [...groups, group];
}

/** Why a change was refused. @throws what is no refusal */
function refusalIn(error: unknown): string {
  if (error instanceof PetstoreError && !error.isFailure) return error.message;
  throw error;
}

import { Option } from "commander";
import { writeTo } from "../adapters/files/output.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { jsonArray } from "./json-array.ts";
import { limitOption } from "./options.ts";
import { cut, tableOf, terminalWidth } from "./table.ts";

/** The options of every list that can be long. */
export type ListOptions<Id = bigint> = { after?: Id; limit?: number; json?: boolean };

/** A list and how to show its items. On a narrow terminal the cells of the column `flexible` are cut. */
type List<Item> = {
  pages: AsyncIterable<Item[]>;
  json: (item: Item) => Awaitable<object>;
  head: string[];
  flexible: string;
  row: (item: Item) => Awaitable<string[]>;
  /** More about an item, for the line below its row. */
  detail?: (item: Item) => string;
  /** What to print if there are no items. */
  none: string;
};

/** The most rows of a table, unless `--limit` says more. Programs get everything. */
const DEFAULT_ROWS = 50;

/** The options of a list that say which part of it to print. */
export function rangeOptions<Id>(items: string, parseId: (text: string) => Id): [Option, Option] {
  return [
    limitOption(`at most so many ${items} (default: ${DEFAULT_ROWS}, or all with --json)`),
    new Option("--after <id>", "only those after this id: the next page").argParser(parseId),
  ];
}

/** Prints a list page by page, so that a long one takes little memory. */
export async function printList<Item extends { id: string | number | bigint }>(
  list: List<Item>,
  { limit, json }: ListOptions<unknown>,
): Promise<void> {
  const texts = json ? jsonArray(valuesOf(list, limit ?? Infinity)) : tablesOf(list, limit ?? DEFAULT_ROWS);
  await writeTo(process.stdout, "standard output", texts);
}

async function* valuesOf<Item>({ pages, json }: List<Item>, limit: number): AsyncGenerator<unknown> {
  let left = limit;
  for await (const page of pages) {
    yield* await Promise.all(page.slice(0, left).map(json));
    left -= page.length;
    if (left <= 0) return;
  }
}

async function* tablesOf<Item extends { id: string | number | bigint }>(
  list: List<Item>,
  limit: number,
): AsyncGenerator<string> {
  let left = limit;
  let last: Item | undefined;
  let doMoreFollow = false;
  for await (const page of list.pages) {
    doMoreFollow = page.length > left;
    if (left === 0) break;
    const items = page.slice(0, left);
    yield await textOf(list, items, last === undefined || process.stdout.isTTY);
    left -= items.length;
    last = items.at(-1);
    if (doMoreFollow) break;
  }
  if (last === undefined) yield `${list.none}\n`;
  else if (doMoreFollow) yield `More follow: add --after ${last.id}, or a larger --limit.\n`;
}

/** Formats items as lines of a table, with or without its head. */
async function textOf<Item>(
  { head, flexible, row, detail }: List<Item>,
  items: Item[],
  needsHead: boolean,
): Promise<string> {
  const width = terminalWidth();
  const rows = await Promise.all(items.map(row));
  const details = items.map((item) => detail?.(item) ?? "");
  const lines = tableOf(needsHead ? [head, ...rows] : rows, head.indexOf(flexible), width).split("\n");
  const below = needsHead ? ["", ...details] : details;
  return lines.map((line, i) => `${line}\n${below[i] ? `${cut(`  ${below[i]}`, width)}\n` : ""}`).join("");
}

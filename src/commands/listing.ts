import { Option } from "commander";
import { writeTo } from "../adapters/files/write.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { jsonArray } from "./json-array.ts";
import { asRun } from "./launcher.ts";
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
  /** What items belong to that follow each other, and the line above the first of them. */
  group?: { of: (item: Item) => string; heading: (item: Item) => string } | undefined;
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
    yield await textOf(list, items, last, last === undefined || process.stdout.isTTY);
    left -= items.length;
    last = items.at(-1);
    if (doMoreFollow) break;
  }
  if (last === undefined) yield `${asRun(list.none)}\n`;
  else if (doMoreFollow) yield `More follow: add --after ${last.id}, or a larger --limit.\n`;
}

/** Formats items as lines of a table, with or without its head. `before`: the item above them. */
async function textOf<Item>(
  { head, flexible, row, group, detail }: List<Item>,
  items: Item[],
  before: Item | undefined,
  needsHead: boolean,
): Promise<string> {
  const width = terminalWidth();
  const rows = await Promise.all(items.map(row));
  const [headLine = "", ...lines] = tableOf([head, ...rows], head.indexOf(flexible), width).split("\n");
  const texts = items.map((item, i) => {
    const previous = i === 0 ? before : items[i - 1];
    const isFirst = group !== undefined && (previous === undefined || group.of(previous) !== group.of(item));
    const below = detail?.(item) ?? "";
    return `${isFirst ? `\n${cut(group.heading(item), width)}\n` : ""}${lines[i]}\n${below && `${cut(`  ${below}`, width)}\n`}`;
  });
  return `${needsHead ? `${headLine}\n` : ""}${texts.join("")}`;
}

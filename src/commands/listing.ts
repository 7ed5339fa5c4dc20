import { Option } from "commander";
import { writeTo } from "../adapters/files/output.ts";
import { jsonArray } from "./json-array.ts";
import { limitOption, parseInt64 } from "./options.ts";
import { tableOf, terminalWidth } from "./table.ts";

/** The options of every list by id. */
export type ListOptions = { after?: bigint; limit: number; json?: boolean };

/** A list: its items, by id, and how to show them. On a narrow terminal the cells of the column `flexible` are cut. */
type List<Item> = {
  pages: AsyncIterable<Item[]>;
  json: (item: Item) => object;
  head: string[];
  flexible: string;
  row: (item: Item) => string[];
  /** What to print if there are no items. */
  none: string;
};

const DEFAULT_LIMIT = 50;

/** The options of a list that say which part of it to print. */
export function rangeOptions(items: string): [Option, Option] {
  return [
    limitOption(`at most so many ${items}`).default(DEFAULT_LIMIT),
    new Option("--after <id>", "only those after this id: the next page").argParser(parseInt64),
  ];
}

/** Prints a list page by page, so that a long one takes little memory. */
export async function printList<Item extends { id: number | bigint }>(
  list: List<Item>,
  { limit, json }: ListOptions,
): Promise<void> {
  const texts = json ? jsonArray(valuesOf(list, limit)) : tablesOf(list, limit);
  await writeTo(process.stdout, "standard output", texts);
}

async function* valuesOf<Item>({ pages, json }: List<Item>, limit: number): AsyncGenerator<unknown> {
  let left = limit;
  for await (const page of pages) {
    yield* page.slice(0, left).map(json);
    left -= page.length;
    if (left <= 0) return;
  }
}

async function* tablesOf<Item extends { id: number | bigint }>(
  { pages, head, flexible, row, none }: List<Item>,
  limit: number,
): AsyncGenerator<string> {
  let left = limit;
  let last: Item | undefined;
  let doMoreFollow = false;
  for await (const page of pages) {
    doMoreFollow = page.length > left;
    if (left === 0) break;
    const items = page.slice(0, left);
    const rows = items.map(row);
    const needsHead = last === undefined || process.stdout.isTTY;
    yield `${tableOf(needsHead ? [head, ...rows] : rows, head.indexOf(flexible), terminalWidth())}\n`;
    left -= items.length;
    last = items.at(-1);
    if (doMoreFollow) break;
  }
  if (last === undefined) yield `${none}\n`;
  else if (doMoreFollow) yield `More follow: add --after ${last.id}, or a larger --limit.\n`;
}

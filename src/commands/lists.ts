import Table from "cli-table3";
import { Option } from "commander";
import { writeTo } from "../adapters/files/write.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import { toJson } from "../domain/json.ts";
import { showBidiControls } from "../domain/text.ts";
import { limitOption } from "./options.ts";
import { asRun } from "./program.ts";

const BORDERS =
  "top top-mid top-left top-right bottom bottom-mid bottom-left bottom-right left left-mid mid mid-mid right right-mid";
const NO_BORDER = Object.fromEntries(BORDERS.split(" ").map((part) => [part, ""]));

const SEPARATOR = "  ";

/** Enough to recognise a name by its beginning. */
const MIN_WIDTH = 6;

/** The width of the terminal, in columns; 80 without one. */
export function terminalWidth(): number {
  return process.stdout.columns || 80;
}

/** Formats rows in aligned columns. If they are wider than `width`, cuts the cells of the column `flexible`. */
export function tableOf(rows: string[][], flexible: number, width: number): string {
  const excess = widthOf(rows) - width;
  if (excess <= 0) return columnsOf(rows);
  const natural = widthOf(rows.map((cells) => [cells[flexible] ?? ""]));
  const fixed: null[] = new Array(flexible).fill(null);
  return aligned(rows, { colWidths: [...fixed, Math.max(MIN_WIDTH, natural - excess)] });
}

/** Formats rows in aligned columns, however wide. */
export function columnsOf(rows: string[][]): string {
  return aligned(rows);
}

/** A text as it looks in a line of `width` columns. */
export function cut(text: string, width: number): string {
  return aligned([[text]], widthOf([[text]]) > width ? { colWidths: [width] } : {});
}

/** The columns that rows take on a terminal: those of a line above them. */
function widthOf(rows: string[][]): number {
  const [line = ""] = aligned(rows, { chars: { ...NO_BORDER, top: "-", "top-mid": "--", middle: SEPARATOR } }).split(
    "\n",
  );
  return line.length;
}

function aligned(rows: string[][], options: Partial<Table.TableConstructorOptions> = {}): string {
  const table = new Table({
    chars: { ...NO_BORDER, middle: SEPARATOR },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
    ...options,
  });
  // Columns align only if control characters are shown before they are measured.
  table.push(...rows.map((cells) => cells.map(showBidiControls)));
  return table.toString().replace(/ +$/gm, "");
}

/** Formats values as one indented JSON array, value by value. */
async function* jsonArray(values: AsyncIterable<unknown>): AsyncGenerator<string> {
  let separator = "[";
  for await (const value of values) {
    yield `${separator}\n  ${toJson(value, 2).replaceAll("\n", "\n  ")}`;
    separator = ",";
  }
  yield separator === "[" ? "[]\n" : "\n]\n";
}

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
  /** What to say of the list below its table. */
  note?: string | undefined;
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
    yield await pageText(list, items, last, last === undefined || process.stdout.isTTY);
    left -= items.length;
    last = items.at(-1);
    if (doMoreFollow) break;
  }
  if (last === undefined) yield `${asRun(list.none)}\n`;
  else if (doMoreFollow) yield `More follow: add --after ${last.id}, or a larger --limit.\n`;
  if (list.note !== undefined) yield `${list.note}\n`;
}

/** Formats items as lines of a table, with or without its head. `before`: the item above them. */
async function pageText<Item>(
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

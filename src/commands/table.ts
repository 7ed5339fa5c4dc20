import Table from "cli-table3";
import { showBidiControls } from "../domain/bidi.ts";

const NO_BORDER = Object.fromEntries(
  [
    "top",
    "top-mid",
    "top-left",
    "top-right",
    "bottom",
    "bottom-mid",
    "bottom-left",
    "bottom-right",
    "left",
    "left-mid",
    "mid",
    "mid-mid",
    "right",
    "right-mid",
  ].map((part) => [part, ""]),
);
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

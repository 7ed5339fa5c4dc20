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

/** Formats a table: with a border on a terminal, otherwise in aligned columns. */
export function tableOf(head: string[], rows: string[][], isTerminal: boolean): string {
  const style = { head: [], border: [], compact: true };
  if (isTerminal) {
    const table = new Table({ head, style });
    table.push(...shown(rows));
    return table.toString();
  }
  return columnsOf([head, ...rows]);
}

/** Formats rows in aligned columns without a border. */
export function columnsOf(rows: string[][]): string {
  const table = new Table({
    chars: { ...NO_BORDER, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...shown(rows));
  return table.toString().replace(/ +$/gm, "");
}

/** The cells as they look: columns align only if control characters are shown before they are measured. */
function shown(rows: string[][]): string[][] {
  return rows.map((cells) => cells.map(showBidiControls));
}

import Table from "cli-table3";

const FRAMELESS = Object.fromEntries(
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

/** Rows under their headings: in a frame on a terminal, in plain aligned columns for a pipe. */
export function tableOf(head: string[], rows: string[][], isTerminal: boolean): string {
  const style = { head: [], border: [], compact: true };
  if (isTerminal) {
    const table = new Table({ head, style });
    table.push(...rows);
    return table.toString();
  }
  return columnsOf([head, ...rows]);
}

/** Plain aligned columns. */
export function columnsOf(rows: string[][]): string {
  const table = new Table({
    chars: { ...FRAMELESS, middle: "  " },
    style: { head: [], border: [], "padding-left": 0, "padding-right": 0 },
  });
  table.push(...rows);
  return table.toString().replace(/ +$/gm, "");
}

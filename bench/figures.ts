import { type ParseArgsOptionsConfig, parseArgs } from "node:util";
import { removeTemporaryDirectories } from "../test/support/temporary.ts";

/**
 * The options of a script that runs alone, whose temporary files go to a disk, and end with it. For --help it prints the usage and
 * exits.
 */
export function scriptOptions<const T extends ParseArgsOptionsConfig>(usage: string, options: T) {
  process.env.TMPDIR ??= "/var/tmp";
  process.on("exit", removeTemporaryDirectories);
  const { values } = parseArgs({ options: { help: { type: "boolean" } }, strict: false });
  if (values.help) {
    console.log(usage);
    process.exit(0);
  }
  return parseArgs({ options }).values;
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return ((sorted[Math.ceil(middle) - 1] ?? Number.NaN) + (sorted[Math.floor(middle)] ?? Number.NaN)) / 2;
}

/** Prints progress to standard error: standard output is for the figures. */
export function logProgress(progress: string): void {
  const seconds = Math.round(performance.now() / 1000);
  console.error(`${String(seconds).padStart(4)} s  ${progress}`);
}

/** A Markdown table whose columns also line up on a terminal. All but the first are right-aligned. */
export function table(header: string[], rows: string[][]): string {
  const widths = header.map((_, column) => Math.max(...[header, ...rows].map((row) => row[column]?.length ?? 0), 3));
  const line = (cells: string[]) => {
    const padded = widths.map((width, column) => {
      const cell = cells[column] ?? "";
      return column === 0 ? cell.padEnd(width) : cell.padStart(width);
    });
    return `| ${padded.join(" | ")} |`;
  };
  const rule = widths.map((width, column) => (column === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [header, rule, ...rows].map(line).join("\n");
}

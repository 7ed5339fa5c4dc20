import { Command, Option } from "commander";
import { type Format, formatOf, formats, type WritableContent, withRaw } from "../../adapters/files/content.ts";
import { requireNoFile, writeFile, writeTo } from "../../adapters/files/write.ts";
import { exportItems } from "../../wiring/export-items.ts";
import { count, type Noun } from "../count.ts";
import { print } from "../print.ts";
import { type Stores, withExistingStores } from "../stores.ts";

/** The options of every export. */
export type ExportOptions = { format?: Format; raw?: boolean; output?: string; force?: boolean; json?: boolean };

/** An export: what it writes, and how. */
type Export<Item> = {
  noun: Noun;
  content: WritableContent<Item>;
  pages: (stores: Stores) => Iterable<Item[]> | AsyncIterable<Item[]>;
};

const STDOUT = "-";

/** The command `export`, without its description and its action. */
export function newExportCommand(): Command {
  return new Command("export")
    .argument("[file]", "the file to write, or - for standard output (default: -)")
    .addOption(
      new Option("--format <format>", "default: by the extension of the file, otherwise ndjson").choices(formats),
    )
    .option("--raw", "write texts in CSV as they are, also those that a spreadsheet runs as formulas")
    .option("--output <file>", "the same as the argument")
    .option("--force", "replace the file if it exists")
    .option("--json", "print a summary as JSON, for scripts (with a file)");
}

/** Writes an export to a file, or to standard output. */
export async function exportFile<Item>(
  argument: string | undefined,
  { output, force = false, json, raw, ...options }: ExportOptions,
  command: Command,
  { noun, content, pages }: Export<Item>,
): Promise<void> {
  if (argument !== undefined && output !== undefined) command.error("error: name the file once: --output is the same");
  const file = argument ?? output ?? STDOUT;
  const isStdout = file === STDOUT;
  if (json && isStdout) command.error(`error: --json needs a file: standard output has the ${noun[1]}`);
  if (!isStdout && !force) requireNoFile(file);
  const format = options.format ?? formatOf(file) ?? "ndjson";
  await withExistingStores(async (stores) => {
    let exported = 0;
    const texts = exportItems(pages(stores), content, withRaw(format, raw), (count) => {
      exported += count;
    });
    if (isStdout) return writeTo(process.stdout, "standard output", texts);
    await writeFile(file, texts);
    const summary = { exported, format, output: file };
    print(json, summary, () => `Exported ${count(exported, noun)} to ${file}.`);
  });
}

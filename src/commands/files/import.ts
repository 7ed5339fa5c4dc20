import { Command, Option } from "commander";
import { type Format, formatOf, formats, withRaw } from "../../adapters/files/content.ts";
import { Input } from "../../adapters/files/input.ts";
import { RejectedLines } from "../../adapters/files/write.ts";
import type { Batch } from "../../wiring/import-items.ts";
import type { Noun } from "../count.ts";
import { print } from "../print.ts";
import { CREATE_OPTION, type Stores, withStores } from "../stores.ts";
import { ImportProgress } from "./progress.ts";
import { ImportReport } from "./report.ts";

/** The options of every import. */
export type ImportOptions = { format?: Format; raw?: boolean; create?: boolean; json?: boolean };

/** An import: what a file has, and how to import it. */
type Import = {
  noun: Noun;
  batches: (stores: Stores, chunks: AsyncIterable<Uint8Array>, format: Format) => AsyncGenerator<Batch>;
};

const STDIN = "-";
/** The exit codes by which shells report these signals. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** What happens to lines that cannot be imported, for the help. */
export const REJECTED_LINES = `Invalid lines go to FILE.rejected (stdin.rejected for standard input), each
with its number and the reason; the others are imported, and the exit code is 1.
If the import is interrupted, what it has imported stays.`;

/** The command `import`, without its description and its action. */
export function newImportCommand(): Command {
  return new Command("import")
    .argument("<file>", "an .ndjson, .jsonl or .csv file, or - for standard input")
    .addOption(
      new Option("--format <format>", "format of the file, if its extension does not show it").choices(formats),
    )
    .option("--raw", "take texts in CSV as they are: the file was exported with --raw")
    .option(...CREATE_OPTION)
    .option("--json", "print the summary as JSON, for scripts");
}

/** Imports a file, reports its progress, and collects the rejected lines. */
export async function importFile(
  file: string,
  options: ImportOptions,
  command: Command,
  { noun, batches }: Import,
): Promise<void> {
  const { format = formatOf(file), raw, create, json } = options;
  const isStdin = file === STDIN;
  const name = isStdin ? "standard input" : file;
  const input = isStdin ? Input.stream(name, () => process.stdin) : Input.file(file);
  if (format === undefined) {
    command.error(`error: the format of ${name} is unknown; add --format ${formats.join(" or --format ")}`);
  }
  await withStores({ create }, async (stores) => {
    const rejected = new RejectedLines(isStdin ? "stdin.rejected" : `${file}.rejected`);
    const report = new ImportReport(noun, rejected.path);
    const progress = new ImportProgress(input, report);
    const signals = stopOnSignal(input);
    try {
      for await (const batch of batches(stores, input.chunks(), withRaw(format, raw))) {
        report.add(batch);
        rejected.add(batch.rejected);
        progress.update();
      }
    } catch (error) {
      throw report.cutShortBy(error);
    } finally {
      progress.stop();
      rejected.close();
      signals.forget();
    }
    print(json, report.toJson(input.isStopped), () => report.text(input.isStopped));
    process.exitCode = signals.exitCode() ?? (report.rejected > 0 ? 1 : 0);
  });
}

/** Stops the input on SIGINT and SIGTERM. A terminal may send SIGINT more than once. */
function stopOnSignal(input: Input): { forget: () => void; exitCode: () => number | undefined } {
  let exitCode: number | undefined;
  const stop = (signal: NodeJS.Signals) => {
    exitCode = signal === "SIGINT" ? EXIT_CODES.SIGINT : EXIT_CODES.SIGTERM;
    input.stop();
  };
  process.on("SIGINT", stop).on("SIGTERM", stop);
  return {
    forget: () => process.off("SIGINT", stop).off("SIGTERM", stop),
    exitCode: () => exitCode,
  };
}

import { Command, Option } from "commander";
import { type Format, formatOf, formats, withRaw } from "../../adapters/files/format.ts";
import { Input } from "../../adapters/files/input.ts";
import { RejectedLines } from "../../adapters/files/rejected-lines.ts";
import { auditedImport } from "../../wiring/audited-import.ts";
import { print } from "../print.ts";
import { CREATE_OPTION, withStores } from "../stores.ts";
import { ImportProgress } from "./progress.ts";
import { ImportReport } from "./report.ts";

type Options = { format?: Format; raw?: boolean; create?: boolean; json?: boolean };

const STDIN = "-";
/** The exit codes by which shells report these signals. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

export function importCommand(): Command {
  return new Command("import")
    .description("Add the pets of a file to the catalogue, under new ids.")
    .argument("<file>", "an .ndjson, .jsonl or .csv file, or - for standard input")
    .addOption(
      new Option("--format <format>", "format of the file, if its extension does not show it").choices(formats),
    )
    .option("--raw", "take names in CSV as they are: the file was exported with --raw")
    .option(...CREATE_OPTION)
    .option("--json", "print the summary as JSON, for scripts")
    .addHelpText("after", HELP)
    .action(importFile);
}

const HELP = `
NDJSON has one object per line:
  {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and optionally status.
Ids and all other fields are ignored.

Invalid lines go to FILE.rejected (stdin.rejected for standard input), each
with its number and the reason; the others are added, and the exit code is 1.
If the import is interrupted, the pets that it has added stay.

Examples:
  petstore pets import samples/pets.ndjson
  zcat pets.csv.gz | petstore pets import - --format csv`;

async function importFile(file: string, options: Options, command: Command): Promise<void> {
  const { format = formatOf(file), raw, create, json } = options;
  const isStdin = file === STDIN;
  const name = isStdin ? "standard input" : file;
  const input = isStdin ? Input.stream(name, () => process.stdin) : Input.file(file);
  if (format === undefined) {
    command.error(`error: the format of ${name} is unknown; add --format ${formats.join(" or --format ")}`);
  }
  await withStores({ create }, async ({ bulk, audit, author }) => {
    const rejected = new RejectedLines(isStdin ? "stdin.rejected" : `${file}.rejected`);
    const report = new ImportReport(rejected.path);
    const progress = new ImportProgress(input, report);
    const signals = stopOnSignal(input);
    const target = { bulk, audit, author, clock: Date.now };
    try {
      for await (const batch of auditedImport(target, input.chunks(), withRaw(format, raw))) {
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

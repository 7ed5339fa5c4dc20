import { resolve } from "node:path";
import { SingleBar } from "cli-progress";
import { type Command, Option } from "commander";
import { FileError, formatOf, type WritableContent } from "../adapters/files/content.ts";
import { Input } from "../adapters/files/input.ts";
import { textOf } from "../adapters/files/text.ts";
import { RejectedLines, reasonsOf, requireNoFile, writeFile, writeTo } from "../adapters/files/write.ts";
import { type Format, formats, type ImportBatch, noLines, type Rejected, sourceOf, withRaw } from "../domain/files.ts";
import { exportItems } from "../wiring/exports.ts";
import { type CommandParts, defineCommand, wholeNumber } from "./options.ts";
import { count, type Noun, print, reasonOf } from "./output.ts";
import { asRun, quoted } from "./program.ts";
import { type CommandStores, CREATE_OPTION, withExistingStores, withStores } from "./stores.ts";

class ImportReport {
  readonly noun: Noun;
  counts = noLines;
  readonly #fromLine: number;
  /** The last line that was processed. */
  #line: number;
  #firstRejected: Rejected | undefined;
  readonly #rejectedPath: string;
  readonly #correction: string | undefined;
  readonly #goOn: (line: number) => string;
  readonly #startedAt = performance.now();

  /** `correction` says what to do with rejected lines. `goOn` returns the command that goes on with a line. */
  constructor(
    noun: Noun,
    rejectedPath: string,
    correction: string | undefined,
    fromLine: number,
    goOn: (line: number) => string,
  ) {
    this.noun = noun;
    this.#rejectedPath = rejectedPath;
    this.#correction = correction;
    this.#fromLine = fromLine;
    this.#line = fromLine - 1;
    this.#goOn = goOn;
  }

  add({ counts, rejected, line }: ImportBatch): void {
    this.counts = counts;
    this.#firstRejected ??= rejected[0];
    this.#line = line;
  }

  /** The items that were read and not rejected. */
  get accepted(): number {
    const { imported, changed, unchanged } = this.counts;
    return imported + changed + unchanged;
  }

  get rate(): number {
    return Math.round(this.accepted / Math.max(this.#seconds, 0.001));
  }

  get #seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }

  /** Adds what stays imported to the message of the error that ended the import. */
  cutShortBy(error: unknown): unknown {
    if (this.#line < this.#fromLine) return error;
    const { imported, changed } = this.counts;
    const others = changed === 0 ? "" : `, changed ${changed.toLocaleString("en")}`;
    const done = `the import failed after line ${this.#line}. It added ${count(imported, this.noun)}${others}: these stay`;
    return new Error(`${done}. Reason: ${reasonOf(error)}\n${this.#continuation}`);
  }

  get #continuation(): string {
    return `To import the other lines:\n  ${this.#goOn(this.#line + 1)}`;
  }

  toJson(isInterrupted: boolean) {
    return {
      ...this.counts,
      seconds: Number(this.#seconds.toFixed(3)),
      lastLine: this.#line,
      isInterrupted,
      ...(isInterrupted && { continueWith: asRun(`  ${this.#goOn(this.#line + 1)}`).trim() }),
      rejectedFile: this.counts.rejected > 0 ? this.#rejectedPath : null,
    };
  }

  text(isInterrupted: boolean): string {
    const { imported, statusKept = 0 } = this.counts;
    const [changed, unchanged] = [this.counts.changed, this.counts.unchanged].map((lines) =>
      lines.toLocaleString("en"),
    );
    const others = this.accepted === imported ? "" : `, changed ${changed}, left ${unchanged} unchanged,`;
    const time = `in ${this.#seconds.toFixed(1)} s (${this.rate.toLocaleString("en")} per second)`;
    const lines = [`Imported ${count(imported, this.noun)}${others} ${time}.`];
    if (isInterrupted) lines.unshift(`Interrupted after line ${this.#line}.`);
    if (statusKept > 0) {
      const kept = count(statusKept, ["pet", "pets"]);
      lines.push(`Kept the status of ${kept} that a delivered order has sold. To change it, add --replace-status.`);
    }
    if (this.#firstRejected !== undefined) {
      const { line, reason } = this.#firstRejected;
      const rejected = count(this.counts.rejected, ["line", "lines"]);
      lines.push(`Rejected ${rejected}, listed in ${this.#rejectedPath}. The first, line ${line}: ${reason}`);
      if (this.#correction !== undefined) lines.push(this.#correction);
    }
    if (isInterrupted) lines.push(asRun(this.#continuation));
    return lines.join("\n");
  }
}

const WITH_SIZE = "{bar} {percentage}%  {count} {items}  {rate} per second  {eta_formatted} left";
const WITHOUT_SIZE = "{count} {items}  {rate} per second  {duration_formatted}";

/** The progress bar of an import, on standard error if that is a terminal. */
class ImportProgress {
  readonly #bar: SingleBar;
  readonly #input: Input;
  readonly #report: ImportReport;

  constructor(input: Input, report: ImportReport) {
    this.#input = input;
    this.#report = report;
    this.#bar = new SingleBar({
      format: input.size === undefined ? WITHOUT_SIZE : WITH_SIZE,
      stream: process.stderr,
      barCompleteChar: "█",
      barIncompleteChar: "░",
      barsize: 30,
      fps: 5,
      etaBuffer: 50,
      // It would end the process on Ctrl-C before the import has stopped.
      gracefulExit: false,
    });
    this.#bar.start(input.size ?? 0, 0, this.#payload());
  }

  update(): void {
    this.#bar.update(this.#input.bytesRead, this.#payload());
  }

  stop(): void {
    this.#bar.stop();
  }

  #payload() {
    const { accepted, noun, rate } = this.#report;
    return { count: accepted.toLocaleString("en"), items: noun[1], rate: rate.toLocaleString("en") };
  }
}

const FORMAT = "--format <format>";
const STANDARD = "-";
/** The exit codes by which shells report these signals. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
const endSignals = ["SIGHUP", "SIGINT", "SIGTERM"] as const;

/** What happens to lines that cannot be imported, for the help. */
export const REJECTED_LINES = `Invalid lines go to FILE.rejected (stdin.rejected for standard input), each
with its number and the reason; the others are imported, and the exit code is 1.
With --rejected they also go to a file as they are, below the header of a CSV
file: correct it, and import it.
If the import is interrupted, what it has imported stays: it prints the command
that imports the other lines, with --from-line.`;

const MAX_LINE = Number.MAX_SAFE_INTEGER;

export const readOptions = [
  new Option(FORMAT, "format of the file, if its extension does not show it").choices(formats),
  ["--raw", "take texts in CSV as they are: the file was exported with --raw"],
] as const;
export type ReadOptions = { format?: Format; raw?: boolean };

/** Opens a file to import. Without a format it is a usage error. @throws FileError, also for what is a spreadsheet, say */
export async function inputOf(file: string, { format: given, raw }: ReadOptions, command: Command) {
  const isStdin = file === STANDARD;
  const name = isStdin ? "standard input" : file;
  const input = isStdin ? Input.stream(name, () => process.stdin) : Input.file(file);
  const format = given ?? readableFormatOf(file);
  if (format !== undefined) return { input, format: withRaw(format, raw) };
  if (!isStdin) for await (const _ of textOf(input.chunks())) break;
  return command.error(`error: the format of ${name} is unknown; add --format ${formats.join(" or --format ")}`);
}

/** The format by the extension of a file to import, or undefined for another extension. */
function readableFormatOf(file: string): Format | undefined {
  return /\.tsv$/i.test(file) ? "csv" : formatOf(file);
}

type ImportOptions = ReadOptions & { fromLine?: number; rejected?: string; create?: boolean; json?: boolean };

/** An import: what a file has, and how to import it. */
type Import<Options> = Pick<CommandParts, "description" | "options" | "about" | "examples"> & {
  noun: Noun;
  batches: (
    stores: CommandStores,
    chunks: AsyncIterable<Uint8Array>,
    options: Options & {
      format: Format;
      fromLine?: number;
      preview?: AsyncIterable<Uint8Array> | undefined;
      file: string;
    },
  ) => AsyncGenerator<ImportBatch>;
};

/** Makes a command `import`, which imports a file, reports its progress, and collects the rejected lines. */
export function defineImport<Options>({ noun, batches, options: own = [], ...described }: Import<Options>) {
  const run = async (file: string, options: ImportOptions & Options, command: Command) => {
    const { input, format } = await inputOf(file, options, command);
    await withStores(options, async (stores) => {
      const goesOn = options.fromLine !== undefined;
      const rejected = new RejectedLines(file === STANDARD ? "stdin.rejected" : `${file}.rejected`, goesOn);
      const sources =
        options.rejected === undefined ? undefined : sourcesIn(options.rejected, format, rejected.path, goesOn);
      const goOn = (line: number) => continuationOf(noun, file, command, line);
      const correction = sources && correctionOf(sources.path, format);
      const report = new ImportReport(noun, rejected.path, correction, options.fromLine ?? 1, goOn);
      const progress = new ImportProgress(input, report);
      const signals = stopOnSignal(input);
      try {
        const preview = input.size === undefined ? undefined : input.chunks();
        for await (const batch of batches(stores, input.chunks(), { ...options, format, preview, file })) {
          report.add(batch);
          rejected.add(batch.rejected, reasonsOf);
          sources?.add(batch.rejected, (lines, isFirst) => sourceOf(lines, isFirst ? batch.header : undefined));
          progress.update();
        }
      } catch (error) {
        throw report.cutShortBy(error);
      } finally {
        progress.stop();
        rejected.close();
        sources?.close();
        signals.forget();
      }
      print(options.json, report.toJson(input.isStopped), () => report.text(input.isStopped));
      process.exitCode = signals.exitCode() ?? (report.counts.rejected > 0 ? 1 : 0);
    });
  };
  return defineCommand({
    ...described,
    name: "import",
    arguments: [["<file>", "an .ndjson, .jsonl or .csv file, or - for standard input"]],
    options: [
      ...readOptions,
      ["--from-line <number>", "go on with this line, where an import was interrupted", wholeNumber(1, MAX_LINE)],
      ["--rejected <file>", "also write the rejected lines as they are, to be corrected and imported again"],
      CREATE_OPTION,
      ...own,
    ],
    json: "print the summary as JSON, for scripts",
    action: run,
  });
}

/** The file of rejected lines as they are. @throws FileError for one that exists, has the name of another format, or cannot be written */
function sourcesIn(path: string, format: Format, reasonsPath: string, goesOn: boolean): RejectedLines {
  if (path === STANDARD) throw new FileError("The rejected lines need a file: give --rejected its name.");
  const named = readableFormatOf(path);
  if (named !== undefined && (named === "ndjson") !== (format === "ndjson")) {
    const kind = format === "ndjson" ? "NDJSON" : "CSV";
    throw new FileError(`The rejected lines are ${kind}, and ${path} has the extension of another format.`);
  }
  if (resolve(path) === resolve(reasonsPath)) {
    throw new FileError(`${path} gets the reasons of rejected lines. Choose another file for --rejected.`);
  }
  if (!goesOn) requireNoFile(path);
  const sources = new RejectedLines(path, goesOn);
  sources.requireWritable();
  return sources;
}

/** What to do with the file of rejected lines as they are. */
function correctionOf(path: string, format: Format): string {
  const [isCsv, isRaw] = [format !== "ndjson", format === "raw-csv"];
  const formatOption = readableFormatOf(path) === undefined ? [`--format ${isCsv ? "csv" : "ndjson"}`] : [];
  const options = [...formatOption, ...(isRaw ? ["--raw"] : [])].join(" ");
  return `Correct these lines in ${path}, and import that file${options && ` with ${options}`}.`;
}

/** Stops the input when the command is to end. A terminal may send SIGINT more than once. */
function stopOnSignal(input: Input): { forget: () => void; exitCode: () => number | undefined } {
  let exitCode: number | undefined;
  const stop = (signal: keyof typeof exitCodes) => {
    exitCode = exitCodes[signal];
    input.stop();
  };
  for (const signal of endSignals) process.on(signal, stop);
  return {
    forget: () => {
      for (const signal of endSignals) process.off(signal, stop);
    },
    exitCode: () => exitCode,
  };
}

/** The command that imports a file from a line on, in any directory, with the options that it had. */
function continuationOf(noun: Noun, file: string, command: Command, line: number): string {
  const options = command.options.flatMap((option) => {
    const [name, value] = [option.long ?? "", command.getOptionValue(option.attributeName())];
    if (value === undefined || ["--create", "--from-line"].includes(name)) return [];
    if (value === true) return [name];
    return [name, quoted(name === "--rejected" ? resolve(String(value)) : String(value))];
  });
  const path = file === STANDARD ? file : resolve(file);
  return ["petstore", noun[1], "import", quoted(path), ...options, "--from-line", line].join(" ");
}

type ExportOptions = { format?: Format; raw?: boolean; output?: string; force?: boolean; json?: boolean };

/** An export: what it writes, and how. */
type Export<Item, Options> = Pick<CommandParts, "description" | "options" | "examples"> & {
  noun: Noun;
  content: WritableContent<Item>;
  pages: (stores: CommandStores, options: Options) => Iterable<Item[]> | AsyncIterable<Item[]>;
};

/** Makes a command `export`, which writes items to a file, or to standard output. */
export function defineExport<Item, Options = unknown>(exported: Export<Item, Options>) {
  const { noun, content, pages, options: own = [], ...described } = exported;
  const run = async (argument: string | undefined, options: ExportOptions & Options, command: Command) => {
    const { output, force = false, json, raw } = options;
    if (argument !== undefined && output !== undefined) {
      command.error("error: name the file once: --output is the same");
    }
    const file = argument ?? output ?? STANDARD;
    const isStdout = file === STANDARD;
    if (json && isStdout) command.error(`error: --json needs a file: standard output has the ${noun[1]}`);
    if (!isStdout && !force) requireNoFile(file, ", or replace it with --force");
    const format = options.format ?? formatOf(file) ?? "ndjson";
    await withExistingStores(async (stores) => {
      let exported = 0;
      const texts = exportItems(pages(stores, options), content, withRaw(format, raw), (count) => {
        exported += count;
      });
      if (isStdout) return writeTo(process.stdout, "standard output", texts);
      await writeFile(file, texts);
      const summary = { exported, format, output: file };
      print(json, summary, () => `Exported ${count(exported, noun)} to ${file}.`);
    });
  };
  return defineCommand({
    ...described,
    name: "export",
    arguments: [["[file]", "the file to write, or - for standard output (default: -)"]],
    options: [
      new Option(FORMAT, "default: by the extension of the file, otherwise ndjson").choices(formats),
      ["--raw", "write texts in CSV as they are, also those that a spreadsheet runs as formulas"],
      ["--output <file>", "the same as the argument"],
      ["--force", "replace the file if it exists"],
      ...own,
    ],
    json: "print a summary as JSON, for scripts (with a file)",
    action: run,
  });
}

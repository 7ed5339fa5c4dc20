import type { Command } from "commander";
import { importCategories } from "../../wiring/import-categories.ts";
import { type ImportOptions, importFile, newImportCommand, REJECTED_LINES } from "../files/import.ts";

export function importCommand(): Command {
  return newImportCommand()
    .description("Create and rename categories as the lines of a file say.")
    .addHelpText("after", HELP)
    .action((file: string, options: ImportOptions, command: Command) =>
      importFile(file, options, command, {
        noun: ["category", "categories"],
        batches: ({ categories, categoryAdministration: administration }, chunks, format) =>
          importCategories({ categories, administration, clock: Date.now }, chunks, format),
      }),
    );
}

const HELP = `
NDJSON has one object per line: {"id":1,"name":"Dogs"}. CSV has a header with
the columns name and optionally id. A line creates the category with its id, or
renames it; without an id it creates one under a new id. Lines near each other
may swap names.

${REJECTED_LINES}

Examples:
  petstore categories import categories.csv
  echo '{"name":"Dogs"}' | petstore categories import - --format ndjson`;

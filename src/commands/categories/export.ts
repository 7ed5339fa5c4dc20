import type { Command } from "commander";
import { categories } from "../../adapters/files/items.ts";
import { pagesOf } from "../../wiring/list-pages.ts";
import { type ExportOptions, exportFile, newExportCommand } from "../files/export.ts";

export function exportCommand(): Command {
  return newExportCommand()
    .description("Write all categories, by id. Works while the service runs.")
    .addHelpText("after", "\nExample:\n  petstore categories export categories.csv")
    .action((file: string | undefined, options: ExportOptions, command: Command) =>
      exportFile(file, options, command, {
        noun: ["category", "categories"],
        content: categories,
        pages: (stores) => pagesOf((page) => stores.categories.list(page)),
      }),
    );
}

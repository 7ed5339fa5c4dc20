import type { Command } from "commander";
import { pets } from "../../adapters/files/items.ts";
import type { PetStatus } from "../../domain/pets/pet.ts";
import { type ExportOptions, exportFile, newExportCommand } from "../files/export.ts";
import { statusOption } from "./options.ts";

type Options = ExportOptions & { status?: PetStatus };

export function exportCommand(): Command {
  return newExportCommand()
    .description("Write all pets, consistent as of one moment. Works while the service runs.")
    .addOption(statusOption("only pets of this status"))
    .addHelpText("after", EXAMPLES)
    .action((file: string | undefined, options: Options, command: Command) =>
      exportFile(file, options, command, {
        noun: ["pet", "pets"],
        content: pets,
        pages: ({ bulk }) => bulk.snapshot(options.status),
      }),
    );
}

const EXAMPLES = `
Examples:
  petstore pets export pets.csv
  petstore pets export --status available | jq -r .name`;

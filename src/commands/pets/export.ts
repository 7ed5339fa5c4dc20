import { Command, Option } from "commander";
import { type Format, formatOf, formats, withRaw } from "../../adapters/files/format.ts";
import { requireNoFile, writeFile, writeTo } from "../../adapters/files/output.ts";
import { PetStatus } from "../../domain/pets/pet.ts";
import { exportPets } from "../../wiring/export-pets.ts";
import { print } from "../print.ts";
import { withExistingStores } from "../stores.ts";

type Options = {
  format?: Format;
  raw?: boolean;
  output?: string;
  force?: boolean;
  status?: PetStatus;
  json?: boolean;
};

export function exportCommand(): Command {
  return new Command("export")
    .description("Write all pets, consistent as of one moment. Works while the service runs.")
    .addOption(
      new Option("--format <format>", "default: by the extension of the output file, otherwise ndjson").choices(
        formats,
      ),
    )
    .option("--raw", "write names in CSV as they are, also those that a spreadsheet runs as formulas")
    .option("--output <file>", "write to this file instead of standard output")
    .option("--force", "replace the file if it exists")
    .addOption(new Option("--status <status>", "only pets of this status").choices(PetStatus.options))
    .option("--json", "print a summary as JSON, for scripts (with --output)")
    .addHelpText("after", HELP)
    .action(exportCatalogue);
}

const HELP = `
Examples:
  petstore pets export --output pets.csv
  petstore pets export --status available | jq -r .name`;

async function exportCatalogue(options: Options, command: Command): Promise<void> {
  const { output, force = false, status, json, raw } = options;
  if (json && output === undefined) command.error("error: --json needs --output <file>: standard output has the pets");
  if (output !== undefined && !force) requireNoFile(output);
  const format = options.format ?? formatOf(output ?? "") ?? "ndjson";
  await withExistingStores(async ({ bulk }) => {
    let exported = 0;
    const texts = exportPets(bulk, withRaw(format, raw), status, (count) => {
      exported += count;
    });
    if (output === undefined) return writeTo(process.stdout, "standard output", texts);
    await writeFile(output, texts);
    print(json, { exported, format, output }, () => `Exported ${exported.toLocaleString("en")} pets to ${output}.`);
  });
}

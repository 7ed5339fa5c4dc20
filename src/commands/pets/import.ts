import { type Command, Option } from "commander";
import { PetImport } from "../../wiring/import-pets.ts";
import { type ImportOptions, importFile, newImportCommand, REJECTED_LINES } from "../files/import.ts";

type Options = ImportOptions & { replace?: boolean; replaceStatus?: boolean };

export function importCommand(): Command {
  return newImportCommand()
    .description("Add the pets of a file to the catalogue, under new ids.")
    .option("--replace", "change the pets whose id a line has")
    .addOption(
      new Option("--replace-status", "with --replace: also change the status of sold pets").implies({ replace: true }),
    )
    .addHelpText("after", HELP)
    .action((file: string, options: Options, command: Command) =>
      importFile(file, options, command, {
        noun: ["pet", "pets"],
        batches: ({ config: { checksCategories }, ...stores }, chunks, format) => {
          const target = { ...stores, checksCategories, clock: Date.now };
          const { replace, replaceStatus } = options;
          return new PetImport(target).run(chunks, { format, replace, replaceStatus });
        },
      }),
    );
}

const HELP = `
NDJSON has one object per line:
  {"name":"Rex","categoryId":1,"status":"available"}
CSV has a header with the columns name, categoryId and optionally status.
Ids and all other fields are ignored.

With --replace a line that has an id changes that pet: what the line leaves out
stays as it is, and the rules for changes apply. Lines without an id add pets;
pets that the file does not name stay. CSV needs the column id then. To edit the
catalogue: export it, edit the file, and import it with --replace. A pet that a
delivered order has sold stays sold, even if its line says otherwise: the file
may be older than the order. With --replace-status its line decides.

${REJECTED_LINES}

Examples:
  petstore pets import samples/pets.ndjson
  petstore pets import pets.csv --replace
  zcat pets.csv.gz | petstore pets import - --format csv`;

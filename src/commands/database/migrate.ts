import { Command } from "commander";
import { nameOf } from "../../wiring/config.ts";
import { migrateStores } from "../../wiring/open-stores.ts";
import { print } from "../print.ts";
import { CREATE_OPTION, configWith } from "../stores.ts";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description(
      "Bring the schema of the database up to date, and create the database if it is missing. `serve` does this too.",
    )
    .option(...CREATE_OPTION)
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database migrate")
    .action(migrate);
}

async function migrate({ create, json }: { create?: boolean; json?: boolean }): Promise<void> {
  const config = configWith(create);
  const { from, to } = await migrateStores(config);
  const database = nameOf(config.database);
  print(json, { database, from, to }, () =>
    from === to ? `${database} is up to date: schema ${to}.` : `${database} went from schema ${from} to ${to}.`,
  );
}

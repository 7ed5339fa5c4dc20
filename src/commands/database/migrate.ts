import { Command } from "commander";
import { nameOf, readConfig } from "../../wiring/config.ts";
import { migrateStores } from "../../wiring/open-stores.ts";
import { print } from "../print.ts";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description(
      "Bring the schema of the database up to date, and create the database if it is missing. `serve` does this too.",
    )
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database migrate")
    .action(migrate);
}

async function migrate({ json }: { json?: boolean }): Promise<void> {
  const config = readConfig(process.env);
  const { from, to } = await migrateStores(config.database);
  const database = nameOf(config.database);
  print(json, { database, from, to }, () =>
    from === to ? `${database} is up to date: schema ${to}.` : `${database} went from schema ${from} to ${to}.`,
  );
}

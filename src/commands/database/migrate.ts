import { Command } from "commander";
import { readConfig } from "../../config.ts";
import { migrateDatabase } from "../../sqlite/migrate-file.ts";
import { print } from "../print.ts";

export function migrateCommand(): Command {
  return new Command("migrate")
    .description("Bring the database's schema up to date, creating it when it is missing. Starting does so too.")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database migrate")
    .action(migrate);
}

function migrate({ json }: { json?: boolean }): void {
  const { databasePath } = readConfig(process.env);
  const { from, to } = migrateDatabase(databasePath);
  print(json, { path: databasePath, from, to }, () =>
    from === to ? `${databasePath} is up to date: schema ${to}.` : `${databasePath} went from schema ${from} to ${to}.`,
  );
}

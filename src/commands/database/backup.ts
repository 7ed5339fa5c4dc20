import { Command } from "commander";
import { backupDatabase } from "../../adapters/sqlite/backup.ts";
import { readConfig } from "../../wiring/config.ts";
import { print } from "../print.ts";
import { requireDatabase, requireFile } from "../stores.ts";

type Options = { force?: boolean; json?: boolean };

export function backupCommand(): Command {
  return new Command("backup")
    .description("Copy the database to a file, consistent as of one moment. Works while the service runs.")
    .argument("<file>", "the path of the copy")
    .option("--force", "replace the file if it exists")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database backup backups/petstore-$(date +%F).db")
    .action(backup);
}

function backup(file: string, { force = false, json }: Options): void {
  const { database } = readConfig(process.env);
  const path = requireFile(database, "pg_dump makes a backup of it.");
  requireDatabase(database);
  const startedAt = performance.now();
  const bytes = backupDatabase(path, file, force);
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  print(json, { path, file, bytes, seconds }, () => {
    const size = `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
    return `Backed up ${path} to ${file} (${size}, ${seconds.toFixed(1)} s).`;
  });
}

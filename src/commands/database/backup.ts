import { Command, Option } from "commander";
import { backupDatabase } from "../../adapters/sqlite/backup.ts";
import { type Cause, causes } from "../../domain/backups/backup.ts";
import { makeBackup } from "../../wiring/backups/make-backup.ts";
import { wholeNumber } from "../options.ts";
import { print } from "../print.ts";
import { formatBytes } from "./format-bytes.ts";
import { requireBackups } from "./target.ts";

type Options = { force?: boolean; json?: boolean; cause: Cause; at?: number };

export function backupCommand(): Command {
  return new Command("backup")
    .description("Copy the database, consistent as of one moment, and check the copy. Works while the service runs.")
    .argument("[file]", "the path of the copy; without it, PETSTORE_BACKUP_DIR and PETSTORE_BACKUP_S3 get a backup")
    .option("--force", "replace the file if it exists")
    .option("--json", "print JSON, for scripts")
    .addOption(new Option("--cause <cause>", "why it is made").choices(causes).default("operator").hideHelp())
    .addOption(
      new Option("--at <time>", "the time of the service, in Unix ms").argParser(wholeNumber(0, 8.64e15)).hideHelp(),
    )
    .addHelpText(
      "after",
      "\nExamples:\n  petstore database backup\n  petstore database backup backups/petstore-$(date +%F).db",
    )
    .action((file: string | undefined, options: Options) =>
      file === undefined ? backupToPlaces(options) : backupToFile(file, options),
    );
}

async function backupToPlaces({ json, cause, at: now = Date.now() }: Options): Promise<void> {
  const target = requireBackups();
  const { backup, at, isNew, places } = await makeBackup(target, cause, now);
  const { name, bytes, pets, orders, keys } = backup;
  print(json, { name, at, isNew, places, bytes, pets, orders, keys }, () => {
    const copied = places.includes("s3") ? " and to the bucket" : "";
    return `Backed up ${target.database.path} to ${target.backups.directory}${copied}: ${name} (${formatBytes(bytes)}).`;
  });
}

function backupToFile(file: string, { force = false, json }: Options): void {
  const { database, deployment } = requireBackups();
  const { path } = database;
  const startedAt = performance.now();
  const { bytes } = backupDatabase({ path, deployment }, file, force);
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  print(
    json,
    { path, file, bytes, seconds },
    () => `Backed up ${path} to ${file} (${formatBytes(bytes)}, ${seconds.toFixed(1)} s).`,
  );
}

import { Command } from "commander";
import { restoreDatabase } from "../../adapters/sqlite/restore.ts";
import { openLocations } from "../../wiring/backups/locations.ts";
import { withDownload } from "../../wiring/backups/verify-backup.ts";
import { count } from "../count.ts";
import { print } from "../print.ts";
import { CREATE_OPTION } from "../stores.ts";
import { backupTarget } from "./target.ts";

export function restoreCommand(): Command {
  return new Command("restore")
    .description(
      "Replace the database with a backup, and keep the previous database beside it. Stop the service first.",
    )
    .argument("<file>", "a backup")
    .option("--s3", "download the backup of this name from PETSTORE_BACKUP_S3")
    .option(...CREATE_OPTION)
    .option("--json", "print JSON, for scripts")
    .addHelpText(
      "after",
      "\nExamples:\n  petstore database restore backups/petstore-2026-12-02.db\n  petstore database restore --s3 $NAME",
    )
    .action(restore);
}

type Options = { s3?: boolean; create?: boolean; json?: boolean };

async function restore(file: string, { s3 = false, create = false, json }: Options): Promise<void> {
  const target = backupTarget();
  const { backups, database, deployment } = target;
  const { path } = database;
  const moment = new Date().toISOString().replace(/[-:.]/g, "");
  const restoreFrom = (source: string) =>
    restoreDatabase(source, { path, deployment, create }, `${path}.before-restore-${moment}`);
  const restored = s3
    ? await withDownload(await openLocations(backups, deployment), file, restoreFrom)
    : await restoreFrom(file);
  const { pets, orders, keys, version, kept } = restored;
  print(json, { path, file, schema: version, pets, orders, keys, kept: kept[0] ?? null }, () =>
    [
      `Restored ${path} from ${file}: ${count(pets, ["pet", "pets"])}, ${count(orders, ["order", "orders"])} and ${count(keys, ["key", "keys"])}.`,
      ...(kept.length === 0 ? [] : [`The previous database is kept as ${kept.join(" and ")}.`]),
    ].join("\n"),
  );
}

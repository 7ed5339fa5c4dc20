import { Command } from "commander";
import { restoreDatabase } from "../../adapters/sqlite/restore.ts";
import { readConfig } from "../../wiring/config.ts";
import { count } from "../count.ts";
import { print } from "../print.ts";
import { CREATE_OPTION, requireFile } from "../stores.ts";

export function restoreCommand(): Command {
  return new Command("restore")
    .description(
      "Replace the database with a backup, and keep the previous database beside it. Stop the service first.",
    )
    .argument("<file>", "a backup")
    .option(...CREATE_OPTION)
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database restore backups/petstore-2026-12-02.db")
    .action(restore);
}

async function restore(file: string, { create = false, json }: { create?: boolean; json?: boolean }): Promise<void> {
  const { database, deployment } = readConfig(process.env);
  const path = requireFile(database, "Restore it with pg_restore.");
  const moment = new Date().toISOString().replace(/[-:.]/g, "");
  const restored = await restoreDatabase(file, { path, deployment, create }, `${path}.before-restore-${moment}`);
  const { pets, keys, version, kept } = restored;
  print(json, { path, file, schema: version, pets, keys, kept: kept[0] ?? null }, () =>
    [
      `Restored ${path} from ${file}: ${count(pets, ["pet", "pets"])} and ${count(keys, ["key", "keys"])}.`,
      ...(kept.length === 0 ? [] : [`The previous database is kept as ${kept.join(" and ")}.`]),
    ].join("\n"),
  );
}

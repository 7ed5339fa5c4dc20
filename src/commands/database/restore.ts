import { Command } from "commander";
import { restoreDatabase } from "../../adapters/sqlite/restore.ts";
import { readConfig } from "../../wiring/config.ts";
import { print } from "../print.ts";
import { requireFile } from "../stores.ts";

export function restoreCommand(): Command {
  return new Command("restore")
    .description(
      "Replace the database with a backup, and keep the previous database beside it. Stop the service first.",
    )
    .argument("<file>", "a backup")
    .option("--json", "print JSON, for scripts")
    .addHelpText("after", "\nExample:\n  petstore database restore backups/petstore-2026-12-02.db")
    .action(restore);
}

async function restore(file: string, { json }: { json?: boolean }): Promise<void> {
  const path = requireFile(readConfig(process.env).database, "Restore it with pg_restore.");
  const moment = new Date().toISOString().replace(/[-:.]/g, "");
  const restored = await restoreDatabase(file, path, `${path}.before-restore-${moment}`);
  const { pets, keys, version, kept } = restored;
  print(json, { path, file, schema: version, pets, keys, kept: kept ?? null }, () =>
    [
      `Restored ${path} from ${file}: ${pets.toLocaleString("en")} pets and ${keys.toLocaleString("en")} keys.`,
      ...(kept === undefined ? [] : [`The previous database is kept as ${kept}.`]),
    ].join("\n"),
  );
}

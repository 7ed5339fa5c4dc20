import { Command } from "commander";
import { backupCommand } from "./database/backup.ts";
import { backupsCommand } from "./database/backups.ts";
import { checkCommand } from "./database/check.ts";
import { migrateCommand } from "./database/migrate.ts";
import { restoreCommand } from "./database/restore.ts";

export function databaseCommand(): Command {
  return new Command("database")
    .description("Migrate, check, back up and restore the database that DATABASE_URL names.")
    .addCommand(migrateCommand())
    .addCommand(checkCommand())
    .addCommand(backupCommand())
    .addCommand(backupsCommand())
    .addCommand(restoreCommand());
}

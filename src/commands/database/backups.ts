import { Command } from "commander";
import { listCommand } from "./list-backups.ts";
import { verifyCommand } from "./verify-backup.ts";

export function backupsCommand(): Command {
  return new Command("backups")
    .description("List and verify the backups in PETSTORE_BACKUP_DIR and PETSTORE_BACKUP_S3.")
    .addCommand(listCommand())
    .addCommand(verifyCommand());
}

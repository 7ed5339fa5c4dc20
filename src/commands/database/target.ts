import { StartupError } from "../../domain/startup-error.ts";
import type { BackupTarget } from "../../wiring/backups/make-backup.ts";
import { nameOf, readConfig } from "../../wiring/config.ts";
import { requireDatabase } from "../stores.ts";

/** The database that the environment names, and where its backups go. @throws ConfigError, StartupError on PostgreSQL */
export function backupTarget(): BackupTarget {
  const { database, deployment, backups } = readConfig(process.env);
  if (database.engine === "sqlite" && backups !== undefined) return { database, deployment, backups };
  throw new StartupError(
    `${nameOf(database)} is a server, not a file. pg_dump makes a backup of it, and pg_restore restores it.`,
  );
}

/** The same for a database that exists. @throws StartupError when it does not */
export function requireBackups(): BackupTarget {
  const target = backupTarget();
  requireDatabase(target.database);
  return target;
}

import { backupDatabase } from "../../adapters/sqlite/backup.ts";
import {
  type Backup,
  type BackupLocation,
  backupName,
  type Cause,
  isDue,
  newest,
  obsolete,
  type Place,
  type StoredBackup,
} from "../../domain/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { type DatabaseConfig, nameOf } from "../config.ts";
import type { BackupConfig } from "./config.ts";
import { type BackupLocations, nameOfBucket, openLocations } from "./locations.ts";

export type BackupTarget = {
  backups: BackupConfig;
  database: Extract<DatabaseConfig, { engine: "sqlite" }>;
  deployment: Deployment;
};

/** The newest backup at `at` (Unix ms), where it is, and whether this run made it. */
export type MadeBackup = { backup: Backup; at: number; isNew: boolean; places: Place[] };

/**
 * Writes a backup into the directory, checks it, and copies it to the bucket if there is one. For the schedule it does only
 * what is missing, and deletes what is obsolete: a backup that could not be copied to the bucket is copied by the next run.
 * @throws StartupError, Error with the reason
 */
export async function makeBackup(target: BackupTarget, cause: Cause, now: number): Promise<MadeBackup> {
  const { backups, deployment } = target;
  const locations = await openLocations(backups, deployment);
  const { directory } = locations;
  await directory.create();
  const latest = cause === "schedule" ? await fresh(locations, target, now) : undefined;
  const made = latest ?? { at: now, backup: await write(locations, target, cause, now) };
  await copy(locations, target, made.backup);
  if (cause === "schedule") {
    for (const location of [directory, locations.s3]) {
      if (location !== undefined) await deleteObsolete(location, target, now);
    }
    await directory.removeAbandoned(now);
  }
  return { ...made, isNew: latest === undefined, places: locations.s3 ? ["directory", "s3"] : ["directory"] };
}

/** The newest backup of the schedule, if it is not time for another. */
async function fresh({ directory }: BackupLocations, target: BackupTarget, now: number) {
  const own = ownIn(await directory.list(), target).filter(({ cause }) => cause === "schedule");
  const latest = newest(own, now);
  const { every } = target.backups;
  return latest === undefined || every === undefined || isDue(latest.at, every, now) ? undefined : latest;
}

async function write({ directory }: BackupLocations, target: BackupTarget, cause: Cause, now: number): Promise<Backup> {
  const { database, deployment } = target;
  const name = backupName(deployment, now);
  const file = { path: database.path, deployment };
  const { version, ...written } = backupDatabase(file, directory.fileOf(name), false);
  const backup: Backup = {
    ...{ name, cause, database: nameOf(database), schema: version },
    ...written,
    ...{ verifiedAt: now, problem: null },
  };
  await directory.describe(backup);
  return backup;
}

async function copy({ directory, s3 }: BackupLocations, { backups }: BackupTarget, backup: Backup): Promise<void> {
  if (s3 === undefined || backups.s3 === undefined) return;
  try {
    const copies = await s3.list();
    if (copies.some(({ name, description }) => name === backup.name && description !== undefined)) return;
    await s3.upload(directory.fileOf(backup.name), backup);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `${directory.fileOf(backup.name)} is written, but not copied to ${nameOfBucket(backups.s3)}: ${reason}`,
    );
  }
}

async function deleteObsolete(location: BackupLocation, target: BackupTarget, now: number): Promise<void> {
  const own = ownIn(await location.list(), target);
  for (const { backup } of obsolete(own, target.backups.keep, now)) await location.remove(backup.name);
}

/** The backups of this database whose descriptions say so: others may have theirs in the same place. */
function ownIn(stored: StoredBackup[], { database }: BackupTarget) {
  return stored.flatMap(({ at, description: backup }) =>
    backup?.database === nameOf(database) ? [{ at, cause: backup.cause, backup }] : [],
  );
}

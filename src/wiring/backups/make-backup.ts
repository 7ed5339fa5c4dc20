import { existsSync } from "node:fs";
import { copyFile, link, open, rm } from "node:fs/promises";
import { basename, dirname } from "node:path";
import { BackupDirectory } from "../../adapters/backups/directory.ts";
import type { S3Backups } from "../../adapters/s3/backups.ts";
import { backupDatabase, type CheckedBackup, checkBackup, digest } from "../../adapters/sqlite/backup.ts";
import { syncFile } from "../../adapters/sqlite/files.ts";
import { remnantOf } from "../../adapters/sqlite/open.ts";
import { restoreDatabase } from "../../adapters/sqlite/restore.ts";
import {
  type Backup,
  type BackupLocation,
  type BackupPlace,
  backupName,
  backupTime,
  type Cause,
  descriptionName,
  isDue,
  newest,
  obsolete,
  type StoredBackup,
} from "../../domain/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { messageOf, StartupError } from "../../domain/errors.ts";
import { type DatabaseConfig, databaseNameOf } from "../config.ts";
import type { BackupConfig } from "./config.ts";

export type BackupLocations = { directory: BackupDirectory; s3: S3Backups | undefined };

/** `patience`: how often S3 is asked, and how long it may take, in ms; by default what an upload needs. */
export async function openLocations(
  { directory, s3 }: BackupConfig,
  deployment: Deployment,
  patience: { attempts?: number; timeout?: number } = {},
): Promise<BackupLocations> {
  return {
    directory: new BackupDirectory(directory, deployment),
    s3: s3 && (await openS3(s3, deployment, patience)),
  };
}

/** Loaded only with a bucket. */
async function openS3(s3: NonNullable<BackupConfig["s3"]>, deployment: Deployment, patience: object) {
  const [{ s3Client, s3Objects }, { s3Backups }] = await Promise.all([
    import("../../adapters/s3/client.ts"),
    import("../../adapters/s3/backups.ts"),
  ]);
  return s3Backups(s3Objects(s3Client(s3, patience), s3.prefix), deployment);
}

/** Names a bucket for messages, without credentials. */
export function nameOfBucket({ bucket, prefix }: NonNullable<BackupConfig["s3"]>): string {
  return `s3://${bucket}/${prefix}`;
}

export type BackupTarget = {
  backups: BackupConfig;
  database: Extract<DatabaseConfig, { engine: "sqlite" }>;
  deployment: Deployment;
};

/** The newest backup at `at` (Unix ms), where it is, and whether this run made it. */
type MadeBackup = { backup: Backup; at: number; isNew: boolean; places: BackupPlace[] };

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
  const write = () => writeBackup(directory.fileOf(backupName(deployment, now)), target, { cause, now });
  const made = latest ?? { at: now, backup: await write() };
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

/** Writes a backup to a file, and its description beside it. @throws StartupError, Error with the reason */
export async function writeBackup(
  path: string,
  { database, deployment }: BackupTarget,
  { cause, now, mayReplace = false }: { cause: Cause; now: number; mayReplace?: boolean },
): Promise<Backup> {
  const { version, ...written } = backupDatabase({ path: database.path, deployment }, path, mayReplace);
  const backup: Backup = {
    name: basename(path),
    cause,
    database: databaseNameOf(database),
    schema: version,
    ...written,
    verifiedAt: now,
    problem: null,
  };
  await new BackupDirectory(dirname(path), deployment).describe(backup);
  return backup;
}

async function copy({ directory, s3 }: BackupLocations, { backups }: BackupTarget, backup: Backup): Promise<void> {
  if (s3 === undefined || backups.s3 === undefined) return;
  try {
    const copies = await s3.list();
    if (copies.some(({ name, description }) => name === backup.name && description !== undefined)) return;
    await s3.upload(directory.fileOf(backup.name), backup);
  } catch (error) {
    const problem = `is written, but not copied to ${nameOfBucket(backups.s3)}: ${messageOf(error)}`;
    throw new Error(`${directory.fileOf(backup.name)} ${problem}`);
  }
}

async function deleteObsolete(location: BackupLocation, target: BackupTarget, now: number): Promise<void> {
  const own = ownIn(await location.list(), target);
  for (const { backup } of obsolete(own, target.backups.keep, now)) await location.remove(backup.name);
}

/** The backups of this database whose descriptions say so: others may have theirs in the same place. */
function ownIn(stored: StoredBackup[], { database }: BackupTarget) {
  return stored.flatMap(({ at, description: backup }) =>
    backup?.database === databaseNameOf(database) ? [{ at, cause: backup.cause, backup }] : [],
  );
}

/** What is wrong with a backup; null if nothing is. */
type Verification = { name: string; place: BackupPlace; problem: string | null };

/**
 * Reads a whole backup, from the bucket if it is there, checks it, and writes the result into its description.
 * @throws Error when there is none of this name, or the place does not answer
 */
export async function verifyBackup(
  target: BackupTarget,
  { name, place }: { name: string; place: BackupPlace },
  now: number,
): Promise<Verification> {
  const { backups, deployment, database } = target;
  const locations = await openLocations(backups, deployment);
  const location = place === "s3" ? locations.s3 : locations.directory;
  const stored = (await location?.list())?.find((backup) => backup.name === name);
  if (location === undefined || stored === undefined)
    throw new Error(`There is no backup ${name} in ${wordOf(place)}.`);
  const check = (path: string) => checked(path, target);
  const found = place === "s3" ? await withDownload(locations, name, check) : check(locations.directory.fileOf(name));
  const problem = problemOf(found, stored);
  const { problems: _, version = 0, ...contents } = found;
  const description: Backup = {
    // Without a description nobody knows of which database it is: the schedule never deletes it.
    ...(stored.description ?? {
      ...blank,
      ...contents,
      schema: version,
      name,
      cause: "operator",
      database: databaseNameOf(database),
    }),
    verifiedAt: now,
    problem,
  };
  await location.describe(description);
  return { name, place, problem };
}

/**
 * Takes a file into the directory as a backup of this name, once it was checked. One that was written there unfinished is moved.
 * @throws StartupError, Error with the reason
 */
export async function addBackup(
  target: BackupTarget,
  { file, name }: { file: string; name: string },
  now: number,
): Promise<Backup> {
  const { backups, database, deployment } = target;
  const directory = new BackupDirectory(backups.directory, deployment);
  if (backupTime(name, deployment) === undefined)
    throw new StartupError(`${name} is not the name of a backup of ${deployment}.`);
  await directory.create();
  const unfinished = file.startsWith(directory.unfinished(name, "")) ? file : directory.unfinished(name);
  try {
    if (file !== unfinished) await copyFile(file, unfinished);
    const { problems, version, ...contents } = checkBackup({ path: unfinished, deployment });
    if (problems.length > 0) throw new StartupError(`${file} is damaged: ${problems.join("; ")}.`);
    const described = {
      name,
      cause: "operator",
      database: databaseNameOf(database),
      schema: version,
      problem: null,
    } as const;
    const backup = { ...described, ...contents, verifiedAt: now };
    syncFile(unfinished);
    // Unlike a rename this replaces no file.
    await link(unfinished, directory.fileOf(name));
    await directory.describe(backup);
    return backup;
  } finally {
    await rm(unfinished, { force: true });
  }
}

/** `create`: where there is no database. `to`: a new file in place of the database. `isUnverified`: also without a description, which has the SHA-256 of what was written. */
type RestoreOptions = { create?: boolean | undefined; isUnverified: boolean; now: number; to?: string | undefined };

/**
 * Restores a backup: a file, or the name of one in the bucket. `isVerified`: it was compared with its description.
 * @throws StartupError, Error with the reason
 */
export async function restoreBackup(
  { backups, database, deployment }: BackupTarget,
  { file, place }: { file: string; place: BackupPlace },
  { to, create = to !== undefined, isUnverified, now }: RestoreOptions,
) {
  const { path } = to === undefined ? database : { path: to };
  if (to !== undefined && existsSync(to)) throw new StartupError(`${to} exists already. Choose another file.`);
  const locations = await openLocations(backups, deployment);
  const description =
    place === "s3"
      ? (await locations.s3?.list())?.find(({ name }) => name === file)?.description
      : await new BackupDirectory(dirname(file), deployment).description(basename(file));
  const requireWritten = (found: CheckedBackup) => {
    if (description !== undefined && description.sha256 !== found.sha256) {
      throw new StartupError(`${file} is damaged: ${NOT_WRITTEN}`);
    }
    if (isUnverified || found.problems.length > 0) return;
    if (description === undefined) throw undescribed(file, place);
    const difference = differenceOf(description, found);
    if (difference === undefined) return;
    throw new StartupError(`${file}: ${difference} Restore it without this check with --unverified.`);
  };
  const kept = `${path}.before-restore-${new Date(now).toISOString().replace(/[-:.]/g, "")}`;
  const restore = (source: string) => restoreDatabase(source, { path, deployment, create }, kept, requireWritten);
  const restored = place === "s3" ? await withDownload(locations, file, restore) : await restore(file);
  return { ...restored, isVerified: description !== undefined };
}

function undescribed(file: string, place: BackupPlace): StartupError {
  return new StartupError(
    `${file} cannot be compared with what was written: ${descriptionName(basename(file))} is not in ${place === "s3" ? "the bucket" : "its directory"}, or describes another backup. Put it there, or restore without this check with --unverified.`,
  );
}

const NOT_WRITTEN = "It is not the file that was written: its SHA-256 is another.";

/** In what a description differs from what the backup contains; undefined if it is true. */
function differenceOf(description: Backup, { version, ...found }: Partial<CheckedBackup>): string | undefined {
  const written = { ...found, schema: version };
  const differences = (["schema", "pets", "orders", "keys", "bytes"] as const).filter(
    (fact) => description[fact] !== written[fact],
  );
  if (differences.length === 0) return undefined;
  const facts = differences.map((fact) => `${fact} ${description[fact]} in place of ${written[fact]}`);
  return `Its description does not agree with it: ${facts.join(", ")}.`;
}

/** Writes a new file. A stream could still create it after it has failed. */
export async function writeNew(file: string, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  const handle = await open(file, "wx", 0o600);
  try {
    for await (const chunk of chunks) await handle.appendFile(chunk);
  } finally {
    await handle.close();
  }
}

/** Downloads a backup from the bucket to the directory, and removes it afterwards. */
export async function withDownload<T>(
  { directory, s3 }: BackupLocations,
  name: string,
  work: (path: string) => T | Promise<T>,
): Promise<T> {
  const contents = await s3?.open(name);
  if (contents === undefined) throw new Error(`There is no backup ${name} in ${wordOf("s3")}.`);
  await directory.create();
  await directory.requireRoom(contents.bytes);
  const path = directory.unfinished(name);
  try {
    await writeNew(path, contents.chunks);
    syncFile(path);
    return await work(path);
  } finally {
    await rm(path, { force: true });
  }
}

const blank = { bytes: 0, sha256: "0".repeat(64), pets: 0, orders: 0, keys: 0 };

function checked(path: string, { deployment }: BackupTarget): Partial<CheckedBackup> & { problems: string[] } {
  try {
    return checkBackup({ path, deployment });
  } catch (error) {
    return { problems: [messageOf(error)] };
  }
}

function problemOf(found: Partial<CheckedBackup> & { problems: string[] }, { description }: StoredBackup) {
  const isOther = found.sha256 !== undefined && description !== undefined && description.sha256 !== found.sha256;
  if (isOther || found.problems.length > 0) return [...found.problems, ...(isOther ? [NOT_WRITTEN] : [])].join("; ");
  return (description && differenceOf(description, found)) ?? null;
}

/** What is wrong with a database that is the file of a backup, which no service has used since; undefined if nothing is. */
export async function problemOfFile(path: string, deployment: Deployment): Promise<string | undefined> {
  const description = await new BackupDirectory(dirname(path), deployment).description(basename(path));
  const isBackup = description !== undefined && remnantOf(path) === undefined;
  return isBackup && digest(path).sha256 !== description.sha256 ? NOT_WRITTEN : undefined;
}

function wordOf(place: BackupPlace): string {
  return place === "s3" ? "the bucket" : "the directory";
}

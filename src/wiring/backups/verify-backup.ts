import { createWriteStream } from "node:fs";
import { rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { type CheckedBackup, checkBackup } from "../../adapters/sqlite/backup.ts";
import { syncFile } from "../../adapters/sqlite/files.ts";
import type { Backup, Place, StoredBackup } from "../../domain/backups.ts";
import { nameOf } from "../config.ts";
import { type BackupLocations, openLocations } from "./locations.ts";
import type { BackupTarget } from "./make-backup.ts";

/** What is wrong with a backup; null if nothing is. */
export type Verification = { name: string; place: Place; problem: string | null };

/**
 * Reads a whole backup, from the bucket if it is there, checks it, and writes the result into its description.
 * @throws Error when there is none of this name, or the place does not answer
 */
export async function verifyBackup(
  target: BackupTarget,
  { name, place }: { name: string; place: Place },
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
      database: nameOf(database),
    }),
    ...{ verifiedAt: now, problem },
  };
  await location.describe(description);
  return { name, place, problem };
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
    await pipeline(contents.chunks, createWriteStream(path, { flags: "wx", mode: 0o600 }));
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
    return { problems: [error instanceof Error ? error.message : String(error)] };
  }
}

function problemOf(
  { problems, sha256 }: Partial<CheckedBackup> & { problems: string[] },
  { description }: StoredBackup,
) {
  if (problems.length > 0) return problems.join("; ");
  const isOther = description !== undefined && description.sha256 !== sha256;
  return isOther ? "It is not the file that was written: its SHA-256 is another." : null;
}

function wordOf(place: Place): string {
  return place === "s3" ? "the bucket" : "the directory";
}

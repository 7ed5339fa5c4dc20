import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartupError } from "../../domain/startup-error.ts";
import { type CheckedBackup, checkBackup } from "./check-backup.ts";
import { isCorrupt, reasonOf } from "./errors.ts";
import { sizeWithLog } from "./file-size.ts";
import { requireFile } from "./inspect.ts";
import type { StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";
import { openError } from "./open-error.ts";
import { sync } from "./sync.ts";

/** How long the copy waits for a lock of another process, in ms. */
const BUSY_TIMEOUT = 5_000;

/** What must stay free on the disk beside a copy, in bytes: the service may be using the same disk. */
const RESERVE = 32 * 1024 * 1024;

/** A backup in a file of its own, and its contents. */
export type WrittenBackup = Omit<CheckedBackup, "problems">;

/**
 * Copies a consistent snapshot of a database to `target` while others use it, and checks the copy. On failure there is no new
 * `target`; on success it is on disk. @throws StartupError
 */
export function backupDatabase(file: StoreFile, target: string, mayReplace: boolean): WrittenBackup {
  requireFile(file.path);
  requireWritable(file.path, target, mayReplace);
  requireRoom(file.path, target);
  const unfinished = `${target}.unfinished-${randomUUID()}`;
  try {
    copy(file, unfinished);
    // SQLite 3.53 and later do this by themselves; older versions may not.
    sync(unfinished);
    const { problems, ...written } = checkBackup({ path: unfinished, deployment: file.deployment });
    if (problems.length > 0) throw new StartupError(`The copy is damaged, and was removed: ${problems.join("; ")}.`);
    renameSync(unfinished, target);
    sync(dirname(target));
    return written;
  } catch (error) {
    rmSync(unfinished, { force: true });
    if (isCorrupt(error)) throw openError(file.path, error);
    throw error instanceof StartupError ? error : new StartupError(`${target} cannot be written: ${reasonOf(error)}.`);
  }
}

function copy(file: StoreFile, target: string): void {
  const database = connect(file, BUSY_TIMEOUT);
  try {
    database.prepare("VACUUM INTO ?").run(target);
  } finally {
    database.close();
  }
}

/** A copy is never larger than the database with its log. @throws StartupError when there is no room for so much */
function requireRoom(path: string, target: string): void {
  const { bavail, bsize } = statfsSync(dirname(target));
  const [needed, free] = [sizeWithLog(path) + RESERVE, bavail * bsize];
  if (needed <= free) return;
  throw new StartupError(
    `${target} cannot be written: it may need ${megabytes(needed)}, and ${megabytes(free)} are free.`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString("en")} MB`;
}

function requireWritable(path: string, target: string, mayReplace: boolean): void {
  if (!existsSync(dirname(target))) throw new StartupError(`There is no directory ${dirname(target)}.`);
  if (!existsSync(target)) return;
  const existing = statSync(target);
  if (!existing.isFile()) throw new StartupError(`${target} is not a file.`);
  if (existing.ino === statSync(path).ino && existing.dev === statSync(path).dev) {
    throw new StartupError(`${target} is the database itself. Choose another file for the backup.`);
  }
  if (!mayReplace) throw new StartupError(`${target} exists already. Choose another file, or replace it with --force.`);
}

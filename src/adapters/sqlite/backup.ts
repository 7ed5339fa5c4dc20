import { createHash, randomUUID } from "node:crypto";
import { closeSync, existsSync, openSync, readSync, renameSync, rmSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { databaseOf } from "../../domain/backups.ts";
import { messageOf, StartupError } from "../../domain/errors.ts";
import { attempt, type Contents, contentsOf, openToRead, problemsIn, requireFile } from "./check.ts";
import { isCorrupt, openError } from "./errors.ts";
import { CONTENTS, createPrivate, fileSize, identityAt, sizeWithLog, syncFile } from "./files.ts";
import type { StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";

/**
 * What a file contains, with its size in bytes, its SHA-256 in hexadecimal digits, and what is wrong with it. A log beside it
 * counts as a part of it: SQLite would read both.
 */
export type CheckedBackup = Contents & { bytes: number; sha256: string; problems: string[] };

const UNREADABLE: Contents = { version: 0, pets: 0, orders: 0, keys: 0 };

/** The part of a file that is read at a time, in bytes. */
const CHUNK = 1024 * 1024;

/**
 * Reads a whole backup, which nobody is using, and looks for damage.
 * @throws StartupError when it is not a Petstore database, belongs to the other deployment, or cannot be read at all
 */
export function checkBackup(file: StoreFile): CheckedBackup {
  using database = openToRead(file);
  const problems = new Set(problemsIn(database, file));
  const [contents = UNREADABLE] = attempt(problems, () => [contentsOf(database)]);
  return { ...contents, ...digest(file.path), problems: [...problems] };
}

export function digest(path: string): { bytes: number; sha256: string } {
  const hash = createHash("sha256");
  const buffer = Buffer.alloc(CHUNK);
  let bytes = 0;
  for (const part of CONTENTS.map((ending) => path + ending).filter((part) => fileSize(part) > 0)) {
    const file = openSync(part, "r");
    try {
      for (let read = readSync(file, buffer); read > 0; read = readSync(file, buffer)) {
        hash.update(buffer.subarray(0, read));
        bytes += read;
      }
    } finally {
      closeSync(file);
    }
  }
  return { bytes, sha256: hash.digest("hex") };
}

/** How long the copy waits for a lock of another process, in ms. */
const BUSY_TIMEOUT = 5_000;

/** What must stay free on the disk beside a copy, in bytes: the service may be using the same disk. */
const RESERVE = 32 * 1024 * 1024;

/** A backup in a file of its own, and its contents. */
type WrittenBackup = Omit<CheckedBackup, "problems">;

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
    syncFile(unfinished);
    const { problems, ...written } = checkBackup({ path: unfinished, deployment: file.deployment });
    if (problems.length > 0) throw new StartupError(`The copy is damaged, and was removed: ${problems.join("; ")}.`);
    renameSync(unfinished, target);
    syncFile(dirname(target));
    return written;
  } catch (error) {
    rmSync(unfinished, { force: true });
    if (isCorrupt(error)) throw openError(file.path, error);
    throw error instanceof StartupError ? error : new StartupError(`${target} cannot be written: ${messageOf(error)}.`);
  }
}

function copy(file: StoreFile, target: string): void {
  using database = connect(file, BUSY_TIMEOUT);
  createPrivate(target);
  database.prepare("VACUUM INTO ?").run(target);
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
  const owner = databaseOf(target);
  if (owner !== undefined && existsSync(owner)) {
    throw new StartupError(`${target} would belong to the database ${owner}. Choose another file for the backup.`);
  }
  if (!existsSync(target)) return;
  if (!statSync(target).isFile()) throw new StartupError(`${target} is not a file.`);
  if (identityAt(target) === identityAt(path)) {
    throw new StartupError(`${target} is the database itself. Choose another file for the backup.`);
  }
  if (!mayReplace) throw new StartupError(`${target} exists already. Choose another file, or replace it with --force.`);
}

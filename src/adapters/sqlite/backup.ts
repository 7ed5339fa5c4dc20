import { randomUUID } from "node:crypto";
import { existsSync, renameSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { StartupError } from "../../domain/startup-error.ts";
import { isCorrupt, reasonOf } from "./errors.ts";
import { requireFile } from "./inspect.ts";
import type { StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";
import { openError } from "./open-error.ts";
import { sync } from "./sync.ts";

/** How long the copy waits for a lock of another process, in ms. */
const BUSY_TIMEOUT = 5_000;

/**
 * Copies a consistent snapshot of a database to `target` while others use it. On failure there is no new `target`; on
 * success it is on disk. Returns its size in bytes. @throws StartupError
 */
export function backupDatabase(file: StoreFile, target: string, mayReplace: boolean): number {
  requireFile(file.path);
  requireWritable(file.path, target, mayReplace);
  const unfinished = `${target}.unfinished-${randomUUID()}`;
  try {
    copy(file, unfinished);
    sync(unfinished);
    renameSync(unfinished, target);
    sync(dirname(target));
    return statSync(target).size;
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

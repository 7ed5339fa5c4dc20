import { existsSync } from "node:fs";
import { StartupError } from "../../domain/errors.ts";
import { isBusy, openError } from "./errors.ts";
import { canWrite, fileSize, hold, lockOf, logOf } from "./files.ts";
import type { StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";

/** The lock, which file it is, and whether the process that used the database before ended without closing it. */
export type ServingLock = Disposable & { identity: string; isAfterUncleanStop: boolean };

/**
 * Lets one process at a time serve a database: limits are counted in the process. The lock is SQLite's own, on an empty
 * file beside the database, so that commands can use the database meanwhile. The system releases it when the process ends,
 * however it ends. The empty file stays: it shows that there was a database.
 * @throws StartupError when the database cannot be used, or another process serves it
 */
export function lockForServing(file: StoreFile): ServingLock {
  const { path } = file;
  // Before any connection is closed: the last process that closes a database removes its log.
  const isAfterUncleanStop = existsSync(path) && fileSize(logOf(path)) > 0;
  // First: the lock is made only beside a database of this service.
  connect(file).close();
  if (!canWrite(path)) throw openError(path, new Error("this user may only read it"));
  try {
    return { ...hold(lockOf(path)), isAfterUncleanStop };
  } catch (error) {
    if (!isBusy(error)) throw openError(lockOf(path), error);
    throw new StartupError(
      `Another process serves ${path}: limits would be counted twice. Stop that one, or set DATABASE_URL to another file. For several processes, use --workers.`,
    );
  }
}

/**
 * Keeps a service from starting on a database, which may be damaged or missing. Creates no lock: a service that has run left
 * one. @throws StartupError while a service uses the database
 */
export function lockOutServices(path: string): Disposable | undefined {
  const lock = lockOf(path);
  if (!existsSync(lock)) return undefined;
  try {
    return hold(lock);
  } catch (error) {
    throw isBusy(error) ? inUse(path) : openError(lock, error);
  }
}

export function inUse(path: string): StartupError {
  return new StartupError(`${path} is in use. Stop the service, and close the file in other programs.`);
}

import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { StartupError } from "../../domain/errors.ts";
import { isBusy, isDiskFull, openError } from "./errors.ts";
import { canWrite, fileSize, hold, lockOf, logOf } from "./files.ts";
import { HighWaterMarkFile, lastIdIn } from "./ids.ts";
import { identityOf, type StoreFile } from "./migrate.ts";
import { connect } from "./open.ts";

/**
 * The lock, which file it is, and whether the process that used the database before ended without closing it. `damagedMark`: the
 * path of a high-water mark of ids that cannot be read.
 */
export type ServingLock = Disposable & {
  identity: string;
  isAfterUncleanStop: boolean;
  damagedMark: string | undefined;
};

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
  using database = connect(file);
  if (!canWrite(path)) throw openError(path, new Error("this user may only read it"));
  const lock = held(path);
  try {
    return { ...lock, isAfterUncleanStop, damagedMark: withMark(database, path) };
  } catch (error) {
    lock[Symbol.dispose]();
    throw openError(path, error);
  }
}

function held(path: string): ReturnType<typeof hold> {
  try {
    return hold(lockOf(path));
  } catch (error) {
    if (!isBusy(error)) throw openError(lockOf(path), error);
    throw new StartupError(
      `Another process serves ${path}: limits would be counted twice. Stop that one, or set DATABASE_URL to another file. For several processes, use --workers.`,
    );
  }
}

/**
 * Creates the high-water mark of a database without one, before other processes of the service open it: they all have it open, and
 * notice when it is deleted. Returns its path if it is damaged.
 */
function withMark(database: DatabaseSync, path: string): string | undefined {
  using mark = new HighWaterMarkFile(path);
  // Without the room for it there is none until a pet is added.
  if (existsSync(mark.path) || isDiskFull(path)) return mark.isDamaged ? mark.path : undefined;
  // Nobody adds a pet meanwhile.
  database.exec("BEGIN IMMEDIATE");
  mark.create(identityOf(database).version === 0 ? 0 : lastIdIn(database));
  database.exec("ROLLBACK");
  return undefined;
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

import {
  closeSync,
  existsSync,
  fdatasync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { StartupError, unavailable } from "../../domain/errors.ts";
import { isBusy, openError } from "./errors.ts";

/** The endings of the files that contain a database: itself, and the log or the journal that SQLite applies to it. */
export const CONTENTS = ["", "-wal", "-journal"];

// The files that SQLite keeps beside a database in use. By a link it finds those of the file that the link leads to.

/** The write-ahead log of an existing database. */
export const logOf = (path: string): string => `${realpathSync(path)}-wal`;

/** The index of the log, by which processes see each other's commits. */
const indexOf = (path: string): string => `${realpathSync(path)}-shm`;

const syncInBackground = promisify(fdatasync);

/**
 * The files of an open database: itself, its log, and the index of the log, by which processes see each other's commits.
 * SQLite goes on with files that were deleted or replaced, and what it commits to them is lost.
 */
export class OpenedFile {
  readonly #files: { path: string; identity: string }[];
  readonly #index: string;
  readonly #log: number;

  /**
   * Call it once the database was read: its log and its index exist then, until the database is closed.
   * @throws StartupError when this user may not write the log
   */
  constructor(path: string) {
    try {
      const log = logOf(path);
      this.#index = indexOf(path);
      this.#files = [path, log, this.#index].map((file) => ({ path: file, identity: identityAt(file) }));
      this.#log = openSync(log, "r+");
    } catch (error) {
      throw openError(path, error);
    }
  }

  /** Whether the paths lead to the files that are open. Takes about 3 µs. */
  get isInPlace(): boolean {
    return this.#missing === undefined;
  }

  /** @throws service_unavailable when a path leads to another file than the one that is open, or to none */
  requireInPlace(): void {
    const missing = this.#missing;
    if (missing === undefined) return;
    const remedy =
      missing === this.#index ? "Stop the service" : "Stop the service, put the file back or restore a backup";
    throw unavailable(
      new Error(
        `${missing} was deleted or replaced while it is open: what is written now would be lost. ${remedy}, and start it again.`,
      ),
    );
  }

  /** Brings to the disk what is in the log. An error of the disk is that of the next commit, which syncs the log itself. */
  async syncLog(): Promise<void> {
    await syncInBackground(this.#log).catch(() => {});
  }

  close(): void {
    closeSync(this.#log);
  }

  /** The path of the first file that is not in its place. */
  get #missing(): string | undefined {
    return this.#files.find(({ path, identity }) => identityAt(path) !== identity)?.path;
  }
}

function identityAt(path: string): string {
  try {
    const { dev, ino } = statSync(path);
    return `${dev}:${ino}`;
  } catch {
    return "none that can be reached";
  }
}

/** Linux's list of mounts: the path is the fifth field of a line, with octal escapes. Elsewhere no file can be mounted. */
const MOUNTS = "/proc/self/mountinfo";
const PATH_FIELD = 4;

/**
 * Refuses what is not a file, and a file that has more names than links to its path: by another one it would have another
 * log and another lock, and what two processes write would be lost. @throws StartupError
 */
export function requirePlainFile(path: string): void {
  const stats = statSync(path);
  if (stats.isDirectory()) {
    throw new StartupError(
      `${path} is a directory. Set DATABASE_URL to a file in it, such as sqlite:${join(path, "petstore.db")}.`,
    );
  }
  if (!stats.isFile()) throw new StartupError(`${path} is not a file. Set DATABASE_URL to a file.`);
  const { nlink } = stats;
  if (nlink > 1) {
    throw new StartupError(
      `${path} has ${nlink} names (hard links): a process that uses it by another name would damage it. Copy it to a file of its own.`,
    );
  }
  if (!isMounted(realpathSync(path))) return;
  throw new StartupError(
    `${path} is the mount of a single file: a process that uses that file by its own name would damage it, and its log would be outside of the mount. Mount the directory that contains it.`,
  );
}

function isMounted(path: string): boolean {
  if (!existsSync(MOUNTS)) return false;
  const lines = readFileSync(MOUNTS, "utf8").split("\n");
  return lines.some((line) => unescaped(line.split(" ")[PATH_FIELD] ?? "") === path);
}

function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

/**
 * Makes an empty file that only its owner may read, with its directories, unless there is a file. SQLite would let everybody
 * read a database that it makes; the log, its index and a journal have the mode of their database.
 */
export function createPrivate(path: string): void {
  // To close an existing database would end the locks that this process has on it.
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** The empty file that a service locks: one for all links to a database. */
export function lockOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.lock`;
}

/** Locks an empty file, and makes it if it is missing. @throws an error of SQLite, `isBusy` while another connection has the lock */
export function hold(file: string): Disposable {
  createPrivate(file);
  const connection = new DatabaseSync(file);
  try {
    // With its journal in memory nothing is written, so that a service starts on a full disk.
    connection.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    throw error;
  }
  return { [Symbol.dispose]: () => connection.close() };
}

/** Whether a service holds the lock of this database. */
function isServed(path: string): boolean {
  const lock = lockOf(path);
  if (!existsSync(lock)) return false;
  try {
    hold(lock)[Symbol.dispose]();
    return false;
  } catch (error) {
    return isBusy(error);
  }
}

/** The time in which a process that opens or closes the database has made or removed both files, in ms. */
const BETWEEN_FILES = 200;

/**
 * Refuses a database whose index was deleted while a service uses it. SQLite would make another one, and no process would see
 * what one with the other index writes. @throws StartupError
 */
export function requireIndex(path: string): void {
  if (!lacksIndex(path) || !isServed(path)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_FILES);
  if (!lacksIndex(path)) return;
  throw new StartupError(
    `${indexOf(path)} was deleted or moved while a service uses it: what is written now could be lost. Stop the service, and start it again.`,
  );
}

/** Whether there is a log without the index, by which SQLite finds what is in it. */
function lacksIndex(path: string): boolean {
  return existsSync(path) && existsSync(logOf(path)) && !existsSync(indexOf(path));
}

/** The bytes of a file; 0 if there is none, also where its directory is a file: there `statSync` throws in any case. */
export function fileSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** The bytes of a database file and its write-ahead log; 0 if there is no such file. */
export function sizeWithLog(path: string): number {
  return existsSync(path) ? fileSize(path) + fileSize(logOf(path)) : 0;
}

/** Flushes a file or a directory to disk. */
export function syncFile(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

import { once } from "node:events";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  fchownSync,
  fdatasync,
  fdatasyncSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { Worker } from "node:worker_threads";
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

/** How many syncs of the log may be under way. */
export const SYNCS = 8;

/** As text: an executable has no other file. */
const SYNC_PROGRAM = `
const { parentPort, workerData } = require("node:worker_threads");
const { fdatasyncSync } = require("node:fs");
parentPort.on("message", () => {
  const beganAt = performance.now();
  try {
    fdatasyncSync(workerData);
    parentPort.postMessage(performance.now() - beganAt);
  } catch (error) {
    parentPort.postMessage(error.message);
  }
});`;

/**
 * Syncs a file in a thread of its own, which begins with the first sync: Bun's pool has as many as the machine has cores, and others
 * need them while a disk hangs. It needs a descriptor of its own, too: the system reports an error of the disk once for each, so
 * that of two syncs with one descriptor one could succeed without what the disk has lost.
 */
class SyncThread {
  readonly #file: number;
  #worker: Worker | undefined;

  constructor(file: number) {
    this.#file = file;
  }

  /** Resolves to the time that it took, in ms. */
  async sync(): Promise<number> {
    if (this.#worker === undefined) {
      this.#worker = new Worker(SYNC_PROGRAM, { eval: true, workerData: this.#file });
      this.#worker.unref();
    }
    this.#worker.postMessage(undefined);
    const [outcome] = await once(this.#worker, "message");
    if (typeof outcome === "string") throw new Error(outcome);
    return outcome;
  }

  close(): void {
    void this.#worker?.terminate();
    closeSync(this.#file);
  }
}

/** A file that is open, what its path led to then, and what to do about it, when its path leads to another file or to none. */
type FileInUse = { path: string; identity: string; harm: string; remedy: string };

const LOST = "what is written now would be lost";
const RESTART = "Stop the service";
const PUT_BACK = "Stop the service, put the file back or restore a backup";

/**
 * The files of an open database: itself, its log, and the index of the log, by which processes see each other's commits; and
 * what guards it: the lock of the service, if this process belongs to it, and the high-water mark of ids. SQLite and the
 * system go on with files that were deleted or replaced: what is committed to them is lost, and what guards guards nothing.
 */
export class OpenedFile {
  readonly #files: FileInUse[];
  readonly #markInUse: () => FileIdentity | undefined;
  /** Of the log: for commits, for counts, whose errors are those of the next commit, and for the last sync. */
  readonly #syncThreads: SyncThread[];
  readonly #idle: SyncThread[];
  readonly #log: number;
  readonly #lastLog: number;
  /** To close it ends the locks that SQLite has on the file: it is closed last. */
  #database: number | undefined;
  readonly #path: string;

  /**
   * Call it once the database was read: its log and its index exist then, until the database is closed. `markInUse`: the
   * high-water mark, once it is open. `lock`: the identity of the lock that the service holds, if this is a process of one.
   * @throws StartupError when this user may not write the log
   */
  constructor(path: string, lock: string | undefined, markInUse: () => FileIdentity | undefined) {
    this.#markInUse = markInUse;
    this.#path = path;
    try {
      const log = logOf(path);
      const asNow = (file: string) => ({ path: file, identity: identityAt(file), harm: LOST, remedy: PUT_BACK });
      this.#files = [asNow(path), asNow(log), { ...asNow(indexOf(path)), remedy: RESTART }];
      if (lock !== undefined) {
        const harm = "another process could serve the database, and count limits twice";
        this.#files.push({ path: lockOf(path), identity: lock, harm, remedy: RESTART });
      }
      this.#syncThreads = Array.from({ length: SYNCS }, () => new SyncThread(openSync(log, "r+")));
      this.#idle = [...this.#syncThreads];
      this.#log = openSync(log, "r+");
      this.#lastLog = openSync(log, "r+");
    } catch (error) {
      throw openError(path, error);
    }
  }

  /** Whether the paths lead to the files that are open. Takes about 5 µs. */
  get isInPlace(): boolean {
    return this.#missing === undefined;
  }

  /** @throws service_unavailable when a path leads to another file than the one that is open, or to none */
  requireInPlace(): void {
    const missing = this.#missing;
    if (missing === undefined) return;
    const { path, harm, remedy } = missing;
    throw unavailable(
      new Error(`${path} was deleted or replaced while it is open: ${harm}. ${remedy}, and start it again.`),
    );
  }

  /** Brings to the disk what is in the log, in another thread. @throws an error of the disk */
  syncLog(): Promise<void> {
    return syncInBackground(this.#log);
  }

  /** The same, at most SYNCS times at once. Resolves to the time that it took, in ms. */
  async syncCommits(): Promise<number> {
    const thread = this.#idle.pop();
    if (thread === undefined) throw new Error("too many syncs are under way");
    return await thread.sync().finally(() => this.#idle.push(thread));
  }

  syncLogNow(): void {
    fdatasyncSync(this.#lastLog);
  }

  /** The same for what is in the file of the database. */
  syncDatabase(): Promise<void> {
    this.#database ??= openSync(this.#path, "r+");
    return syncInBackground(this.#database);
  }

  /** The same at once, if that was ever called: SQLite drops a log that is copied, without a sync of its own. */
  syncDatabaseNow(): void {
    if (this.#database !== undefined) fdatasyncSync(this.#database);
  }

  /** Call it once all connections to the database are closed. */
  close(): void {
    for (const thread of this.#syncThreads) thread.close();
    for (const file of [this.#log, this.#lastLog]) closeSync(file);
    if (this.#database !== undefined) closeSync(this.#database);
  }

  /** The first file that is not in its place. */
  get #missing(): FileInUse | undefined {
    const missing = this.#files.find((file) => !isInPlace(file));
    if (missing !== undefined) return missing;
    const mark = this.#markInUse();
    if (mark === undefined || isInPlace(mark)) return undefined;
    return { ...mark, harm: "pets that are lost later would not be noticed", remedy: RESTART };
  }
}

/** A path, and the file that it led to. */
export type FileIdentity = { path: string; identity: string };

function isInPlace({ path, identity }: FileIdentity): boolean {
  return identityAt(path) === identity;
}

/** Identifies a file of a machine. */
export function identityAt(path: string): string {
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
 * Makes an empty file that only its owner may read, with its directories, unless there is a file. SQLite would let other users
 * read a database that it makes; the log, its index and a journal have the mode of their database.
 */
export function createPrivate(path: string): void {
  // To close an existing database would end the locks that this process has on it.
  if (existsSync(path)) return;
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  closeSync(openSync(path, "a", 0o600));
}

/** Gives an open file to the owner of a database, as SQLite does with its log: a command that root runs leaves what the service can write. */
export function giveToOwnerOf(database: string, file: number): void {
  const { uid, gid } = statSync(database);
  try {
    fchownSync(file, uid, gid);
  } catch {
    // Only root may give a file away.
  }
}

/** Whether this user may write an existing file and make files beside it, as SQLite does: not on a read-only file system. */
export function canWrite(path: string): boolean {
  try {
    for (const each of [path, dirname(realpathSync(path))]) accessSync(each, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * Opens an existing database to read it. Where SQLite can make no log, which the mode of the file asks for, it has to hear
 * that nobody changes the file. A log with changes is read with its index, or without locks: then its index is in memory.
 */
export function openReadOnly(path: string): DatabaseSync {
  const [log, index] = [logOf(path), indexOf(path)];
  if (canWrite(path) || (existsSync(log) && existsSync(index))) return new DatabaseSync(path, { readOnly: true });
  const hasLog = fileSize(log) > 0;
  const url = pathToFileURL(path);
  url.search = hasLog ? "?vfs=unix-none" : "?immutable=1";
  const database = new DatabaseSync(url, { readOnly: true });
  if (hasLog) database.exec("PRAGMA locking_mode = EXCLUSIVE");
  return database;
}

/** The high-water mark of ids: one for all links to a database that exists. */
export const markOf = (path: string): string => `${realpathSync(path)}.ids`;

/** The empty file that a service locks: one for all links to a database. */
export function lockOf(path: string): string {
  return `${existsSync(path) ? realpathSync(path) : path}.lock`;
}

/**
 * Locks an empty file, and makes it if it is missing. `identity`: of the locked file.
 * @throws an error of SQLite, `isBusy` while another connection has the lock
 */
export function hold(file: string): Disposable & { identity: string } {
  createPrivate(file);
  const connection = new DatabaseSync(file);
  try {
    // A command that looks whether there is a service has it for a moment. With its journal in memory nothing is written, so that
    // a service starts on a full disk.
    connection.exec("PRAGMA busy_timeout = 100; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    throw error;
  }
  return { identity: identityAt(file), [Symbol.dispose]: () => connection.close() };
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
  if (existsSync(path)) requireBeside(path, indexOf(path), () => lacksIndex(path));
}

/**
 * Refuses to write a database whose high-water mark of ids was deleted while a service uses it, which has made one: another one
 * would not show what is lost. @throws StartupError
 */
export function requireMark(path: string): void {
  requireBeside(path, markOf(path), () => !existsSync(markOf(path)));
}

function requireBeside(path: string, file: string, isMissing: () => boolean): void {
  if (!isMissing() || !isServed(path)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_FILES);
  if (!isMissing()) return;
  throw new StartupError(
    `${file} was deleted or moved while a service uses it: what is written now could be lost. Stop the service, and start it again.`,
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

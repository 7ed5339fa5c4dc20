import type { DatabaseSync, StatementSync } from "node:sqlite";
import { unavailable } from "../../domain/errors.ts";
import { migrate } from "./migrate.ts";
import { connect } from "./open.ts";

type Job = { work: () => void; done: () => void; failed: (error: unknown) => void; deadline: number };

/** Reading blocks for the short moments in which another process has the file to itself; writing asks again later. In ms. */
const READ_PATIENTLY = "PRAGMA busy_timeout = 250";
const BEGIN_OR_FAIL = "PRAGMA busy_timeout = 0; BEGIN IMMEDIATE";
/** How old the snapshot may be that requests are answered from, in ms. */
const LONGEST_SNAPSHOT = 0.25;
const NONE = -Infinity;
/** How long starting blocks while another process migrates, in ms. */
const START_PATIENCE = 10_000;
/** How long a write waits for another process's, and how often it asks, in ms. */
const WRITE_PATIENCE = 2_000;
const WRITE_RETRY = 3;
const SQLITE_BUSY = 5;

/**
 * A SQLite file. Reading answers at once; what is to be written waits for its turn to commit with others.
 * Both go through one connection, so that our own writing does not empty the cache that reading has built up.
 */
export class Database {
  readonly path: string;
  readonly #connection: DatabaseSync;
  readonly #dataVersion: StatementSync;
  readonly #begin: StatementSync;
  readonly #end: StatementSync;
  #changesByOthers = 0;
  #commits = 0;
  /** When the open snapshot was taken (performance.now()). */
  #snapshotAt = NONE;
  #jobs: Job[] = [];
  #isScheduled = false;

  /** Opens the file, creating it when it is missing, and brings its schema up to date. @throws Unusable */
  constructor(path: string) {
    this.path = path;
    this.#connection = connect(path, START_PATIENCE);
    migrate(this.#connection, path);
    this.#connection.exec(READ_PATIENTLY);
    this.#dataVersion = this.prepare("PRAGMA data_version");
    this.#begin = this.prepare("BEGIN");
    this.#end = this.prepare("COMMIT");
  }

  /** Prepares a statement: one that reads, to be run within `read`, or one that writes, within `write`. */
  prepare(sql: string): StatementSync {
    return this.#connection.prepare(sql);
  }

  /**
   * Looks whether anything in the file was changed, by whichever process: `revision` differs then. Requests that arrive
   * together are answered from one snapshot, which is as old as the turn of the event loop, and a quarter of a
   * millisecond at most: in a turn that takes long, for whatever reason, a request can come after another
   * process's change.
   */
  refresh(): void {
    const now = performance.now();
    if (now - this.#snapshotAt < LONGEST_SNAPSHOT) return;
    this.#endSnapshot();
    this.#changesByOthers = read(() => {
      this.#begin.run();
      this.#snapshotAt = now;
      return Number(this.#dataVersion.get()?.data_version);
    });
    setImmediate(this.#endSnapshot);
  }

  /** Our own commits, like the answers that tell of them, come after it: an open snapshot would keep the log from being emptied. */
  readonly #endSnapshot = (): void => {
    if (this.#snapshotAt === NONE) return;
    this.#snapshotAt = NONE;
    this.#end.run();
  };

  /** A number that grows with every change of the file, as of the last refresh: data_version tells of those by others. */
  get revision(): number {
    return this.#changesByOthers + this.#commits;
  }

  /**
   * Runs `work` in a transaction and resolves once that is on the disk. Whatever is asked for before the disk
   * answers shares one commit, so that durability costs one disk sync for many writes.
   * @throws service_unavailable when the file cannot be written: nothing of `work` remains then
   */
  write<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      this.#jobs.push({
        work: () => {
          result = work();
        },
        done: () => resolve(result),
        failed: (error) => reject(asUnavailable(error)),
        deadline: performance.now() + WRITE_PATIENCE,
      });
      this.#schedule(0);
    });
  }

  /** Writes what is still waiting, and closes the file. */
  close(): void {
    this.#commitWaiting();
    for (const job of this.#jobs.splice(0)) job.failed(new Error("the database was closed"));
    this.#endSnapshot();
    this.#connection.close();
  }

  #schedule(delay: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const run = () => {
      this.#isScheduled = false;
      this.#commitWaiting();
    };
    // setImmediate comes after the sockets were read: the requests that arrived together are waiting by then.
    if (delay === 0) setImmediate(run);
    else setTimeout(run, delay);
  }

  #commitWaiting(): void {
    this.#endSnapshot();
    if (this.#jobs.length === 0 || !this.#beganOrWaits()) return;
    const jobs = this.#jobs.splice(0);
    const error = this.#runAll(jobs);
    if (error === undefined) for (const job of jobs) job.done();
    else if (jobs.length === 1) jobs[0]?.failed(error);
    else for (const job of jobs) this.#commitAlone(job);
  }

  /** After a shared commit failed: no job is to fail for the sake of another's. */
  #commitAlone(job: Job): void {
    try {
      this.#beginWriting();
    } catch (error) {
      job.failed(error);
      return;
    }
    const error = this.#runAll([job]);
    if (error === undefined) job.done();
    else job.failed(error);
  }

  /** Begins a transaction; while another process is writing, gives up those that waited too long and asks again soon. */
  #beganOrWaits(): boolean {
    try {
      this.#beginWriting();
      return true;
    } catch (error) {
      const now = performance.now();
      const isBusy = errcodeOf(error) === SQLITE_BUSY;
      const lost = isBusy ? this.#jobs.filter((job) => job.deadline <= now) : this.#jobs;
      this.#jobs = this.#jobs.filter((job) => !lost.includes(job));
      for (const job of lost) job.failed(error);
      if (this.#jobs.length > 0) this.#schedule(WRITE_RETRY);
      return false;
    }
  }

  /** @throws at once while another process is writing */
  #beginWriting(): void {
    try {
      this.#connection.exec(BEGIN_OR_FAIL);
    } finally {
      this.#connection.exec(READ_PATIENTLY);
    }
  }

  /** Runs the jobs in the transaction that has begun, and commits. Gives the error after which nothing remains. */
  #runAll(jobs: Job[]): unknown {
    try {
      for (const job of jobs) job.work();
      this.#connection.exec("COMMIT");
      this.#commits += 1;
      return undefined;
    } catch (error) {
      // On some errors, a full disk among them, SQLite has rolled back by itself.
      if (this.#connection.isTransaction) this.#connection.exec("ROLLBACK");
      return error;
    }
  }
}

/** Runs a read; when SQLite fails, for whatever reason, the store is unavailable. */
export function read<T>(query: () => T): T {
  try {
    return query();
  } catch (error) {
    throw asUnavailable(error);
  }
}

function asUnavailable(error: unknown): unknown {
  return errcodeOf(error) === undefined ? error : unavailable(error);
}

/** SQLite's primary result code, when the error is SQLite's. */
function errcodeOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !("errcode" in error)) return undefined;
  return Number(error.errcode) & 0xff;
}

import type { DatabaseSync, StatementSync } from "node:sqlite";
import { unavailable } from "../errors.ts";
import { migrate } from "./migrate.ts";
import { connect } from "./open.ts";

type Job = { work: () => void; done: () => void; failed: (error: unknown) => void; deadline: number };

/** How long reading blocks for the short moments in which another process has the file to itself, in ms. */
const READ_PATIENCE = 250;
/** How long starting blocks while another process migrates, in ms. */
const START_PATIENCE = 10_000;
/** How long a write waits for another process's, and how often it asks, in ms. */
const WRITE_PATIENCE = 2_000;
const WRITE_RETRY = 3;
const SQLITE_BUSY = 5;

/**
 * A SQLite file, opened twice: what is written goes through `#writer`, what is read through `reader`,
 * so that the reader's data_version tells of every write, ours and other processes'.
 */
export class Database {
  readonly path: string;
  readonly reader: DatabaseSync;
  readonly #writer: DatabaseSync;
  readonly #dataVersion: StatementSync;
  #revision = 0;
  #isFresh = false;
  #jobs: Job[] = [];
  #isScheduled = false;

  /** Opens the file, creating it when it is missing, and brings its schema up to date. @throws Unusable */
  constructor(path: string) {
    this.path = path;
    this.#writer = connect(path, START_PATIENCE);
    migrate(this.#writer, path);
    this.#writer.exec("PRAGMA busy_timeout = 0");
    this.reader = connect(path, READ_PATIENCE);
    this.reader.exec("PRAGMA query_only = ON");
    this.#dataVersion = this.reader.prepare("PRAGMA data_version");
  }

  /** Prepares a statement for use inside `write`. */
  prepareWrite(sql: string): StatementSync {
    return this.#writer.prepare(sql);
  }

  /**
   * Looks whether anything in the file was changed, by whichever process: `revision` differs then. Once a turn of
   * the event loop: its requests were all waiting when it began, and are answered as of then. Our own commits, like
   * the answers that tell of them, come at a turn's end.
   */
  refresh(): void {
    if (this.#isFresh) return;
    this.#revision = read(() => Number(this.#dataVersion.get()?.data_version));
    this.#isFresh = true;
    setImmediate(this.#endOfTurn);
  }

  readonly #endOfTurn = (): void => {
    this.#isFresh = false;
  };

  get revision(): number {
    return this.#revision;
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
    this.reader.close();
    this.#writer.close();
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
      this.#writer.exec("BEGIN IMMEDIATE");
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
      this.#writer.exec("BEGIN IMMEDIATE");
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

  /** Runs the jobs in the transaction that has begun, and commits. Gives the error after which nothing remains. */
  #runAll(jobs: Job[]): unknown {
    try {
      for (const job of jobs) job.work();
      this.#writer.exec("COMMIT");
      return undefined;
    } catch (error) {
      // On some errors, a full disk among them, SQLite has rolled back by itself.
      if (this.#writer.isTransaction) this.#writer.exec("ROLLBACK");
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

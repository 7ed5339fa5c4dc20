import type { DatabaseSync } from "node:sqlite";
import { asUnavailable, isBusy } from "./errors.ts";
import { READ_BUSY_TIMEOUT } from "./open.ts";

type Job = { work: () => void; done: () => void; failed: (error: unknown) => void; deadline: number };

/** How long a write waits for another process's, and how often it is tried, in ms. */
const WRITE_TIMEOUT = 2_000;
const RETRY_EVERY = 3;

/** Runs writes in transactions. Those that arrive before the disk answers share one: many writes cost one disk sync. */
export class GroupCommit {
  readonly #connection: DatabaseSync;
  readonly #beforeCommit: () => void;
  readonly #beforeAcknowledging: () => void;
  #jobs: Job[] = [];
  #isScheduled = false;
  #commits = 0;

  /** What `beforeAcknowledging` throws is what the writes of that commit fail with. */
  constructor(connection: DatabaseSync, beforeCommit: () => void, beforeAcknowledging: () => void) {
    this.#connection = connection;
    this.#beforeCommit = beforeCommit;
    this.#beforeAcknowledging = beforeAcknowledging;
  }

  /** How many transactions this connection has committed. */
  get commits(): number {
    return this.#commits;
  }

  /**
   * Runs `work` in a transaction and resolves once that is on the disk.
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
        deadline: performance.now() + WRITE_TIMEOUT,
      });
      this.#schedule(0);
    });
  }

  /** Writes what is waiting, once; what cannot be written now fails. */
  close(): void {
    this.#flush();
    for (const job of this.#jobs.splice(0)) job.failed(new Error("the database was closed"));
  }

  #schedule(delay: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const run = () => {
      this.#isScheduled = false;
      this.#flush();
    };
    // setImmediate comes after the sockets were read: the requests that arrived in the same turn are waiting by then.
    if (delay === 0) setImmediate(run);
    else setTimeout(run, delay);
  }

  #flush(): void {
    this.#beforeCommit();
    if (this.#jobs.length === 0 || !this.#tryBegin()) return;
    const jobs = this.#jobs.splice(0);
    const error = this.#runAll(jobs);
    if (error === undefined) this.#acknowledge(jobs);
    else if (jobs.length === 1) jobs[0]?.failed(error);
    else for (const job of jobs) this.#commitSeparately(job);
  }

  /** After a shared commit failed: no job fails because of another. */
  #commitSeparately(job: Job): void {
    try {
      this.#begin();
    } catch (error) {
      job.failed(error);
      return;
    }
    const error = this.#runAll([job]);
    if (error === undefined) this.#acknowledge([job]);
    else job.failed(error);
  }

  #acknowledge(jobs: Job[]): void {
    try {
      this.#beforeAcknowledging();
      for (const job of jobs) job.done();
    } catch (error) {
      for (const job of jobs) job.failed(error);
    }
  }

  /** Begins a transaction; while another process writes, tries again later those jobs that may still wait. */
  #tryBegin(): boolean {
    try {
      this.#begin();
      return true;
    } catch (error) {
      const now = performance.now();
      const lost = isBusy(error) ? this.#jobs.filter((job) => job.deadline <= now) : this.#jobs;
      this.#jobs = this.#jobs.filter((job) => !lost.includes(job));
      for (const job of lost) job.failed(error);
      if (this.#jobs.length > 0) this.#schedule(RETRY_EVERY);
      return false;
    }
  }

  /** @throws at once while another process is writing */
  #begin(): void {
    try {
      this.#connection.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
    } finally {
      this.#connection.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT}`);
    }
  }

  /** Runs the jobs in the transaction that has begun, and commits. Returns the error after which nothing of them remains. */
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

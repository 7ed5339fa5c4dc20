import type { DatabaseSync } from "node:sqlite";
import { asUnavailable, isBusy, isFull, rollBack } from "./errors.ts";
import { READ_BUSY_TIMEOUT } from "./open.ts";

/**
 * What surrounds each transaction. What they throw is what the writes of that transaction fail with. `beforeOrdinary` comes
 * before writes that may not use the reserve of the disk, which `release` gives to the others.
 */
type Hooks = {
  beforeBegin: () => void;
  beforeOrdinary: () => void;
  beforeCommit: () => void;
  beforeAcknowledging: () => void;
  release: () => void;
};

/** `isSynced`: it resolves when it is on disk. `usesReserve`: it may use what is reserved on a full disk. */
export type WriteOptions = { isSynced?: boolean; usesReserve?: boolean };

type Job = {
  work: () => void;
  isSynced: boolean;
  usesReserve: boolean;
  done: () => void;
  failed: (error: unknown) => void;
  deadline: number;
};

/** How long a write waits for another process, and the pause between attempts, in ms. */
const WRITE_TIMEOUT = 2_000;
const RETRY_INTERVAL = 3;

/** Runs writes in transactions. Concurrent writes share a transaction, and so one disk sync. */
export class GroupCommit {
  readonly #connection: DatabaseSync;
  readonly #hooks: Hooks;
  #jobs: Job[] = [];
  #isScheduled = false;
  /** Whether commits wait for the disk (`synchronous`). */
  #isSynced = true;

  constructor(connection: DatabaseSync, hooks: Hooks) {
    this.#connection = connection;
    this.#hooks = hooks;
  }

  /**
   * Runs `work` in a transaction. Resolves when the transaction is on disk; unless `isSynced`, when it is in the log, which
   * the next synced one brings to the disk.
   * @throws service_unavailable when the file cannot be written; `work` is rolled back
   */
  write<T>(work: () => T, { isSynced = true, usesReserve = false }: WriteOptions = {}): Promise<T> {
    return new Promise((resolve, reject) => {
      let result: T;
      this.#jobs.push({
        isSynced,
        usesReserve,
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

  /** Tries once to commit the waiting writes; rejects the others. */
  close(): void {
    this.#flush();
    this.#refuse(() => true, new Error("the database was closed"));
  }

  #schedule(delay: number): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    const run = () => {
      this.#isScheduled = false;
      this.#flush();
    };
    // setImmediate runs after the sockets were read, so that the requests of this turn share a commit.
    if (delay === 0) setImmediate(run);
    else setTimeout(run, delay);
  }

  #flush(): void {
    this.#refuseOrdinary();
    if (this.#jobs.length === 0 || !this.#tryBegin()) return;
    const jobs = this.#jobs.splice(0);
    const error = this.#runAll(jobs);
    const [first] = jobs;
    if (error === undefined) this.#acknowledge(jobs);
    else if (jobs.length === 1 && first !== undefined) this.#failed(first, error);
    else for (const job of jobs) this.#commitSeparately(job, (reason) => this.#failed(job, reason));
  }

  /** Fails the jobs that must leave what is left of the disk to others. */
  #refuseOrdinary(): void {
    if (this.#jobs.every(({ usesReserve }) => usesReserve)) return;
    try {
      this.#hooks.beforeOrdinary();
    } catch (error) {
      this.#refuse(({ usesReserve }) => !usesReserve, error);
    }
  }

  /** Fails those of the waiting jobs. */
  #refuse(isRefused: (job: Job) => boolean, error: unknown): void {
    const refused = this.#jobs.filter(isRefused);
    this.#jobs = this.#jobs.filter((job) => !isRefused(job));
    for (const job of refused) job.failed(error);
  }

  /** A job that may use the reserve is tried once more with it. */
  #failed(job: Job, error: unknown): void {
    if (job.usesReserve && isFull(error)) {
      this.#hooks.release();
      this.#commitSeparately(job, job.failed);
    } else job.failed(error);
  }

  /** Used after a failed shared commit, so that no job fails because of another. */
  #commitSeparately(job: Job, failed: Job["failed"]): void {
    try {
      this.#begin(job.isSynced);
    } catch (error) {
      job.failed(error);
      return;
    }
    const error = this.#runAll([job]);
    if (error === undefined) this.#acknowledge([job]);
    else failed(error);
  }

  #acknowledge(jobs: Job[]): void {
    try {
      this.#hooks.beforeAcknowledging();
      for (const job of jobs) job.done();
    } catch (error) {
      for (const job of jobs) job.failed(error);
    }
  }

  /** Begins a transaction. While another process writes, returns false and schedules another attempt until the deadlines. */
  #tryBegin(): boolean {
    try {
      this.#begin(this.#jobs.some(({ isSynced }) => isSynced));
      return true;
    } catch (error) {
      const now = performance.now();
      this.#refuse((job) => !isBusy(error) || job.deadline <= now, error);
      if (this.#jobs.length > 0) this.#schedule(RETRY_INTERVAL);
      return false;
    }
  }

  /** Begins a transaction. @throws immediately while another process is writing */
  #begin(isSynced: boolean): void {
    this.#hooks.beforeBegin();
    if (isSynced !== this.#isSynced) {
      this.#connection.exec(`PRAGMA synchronous = ${isSynced ? "FULL" : "NORMAL"}`);
      this.#isSynced = isSynced;
    }
    try {
      this.#connection.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE");
    } finally {
      this.#connection.exec(`PRAGMA busy_timeout = ${READ_BUSY_TIMEOUT}`);
    }
  }

  /** Runs the jobs in the open transaction, and commits. On an error, rolls back and returns it. */
  #runAll(jobs: Job[]): unknown {
    try {
      for (const job of jobs) job.work();
      this.#hooks.beforeCommit();
      this.#connection.exec("COMMIT");
      return undefined;
    } catch (error) {
      rollBack(this.#connection);
      return error;
    }
  }
}

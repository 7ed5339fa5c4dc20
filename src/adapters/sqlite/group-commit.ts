import type { DatabaseSync } from "node:sqlite";
import { unavailable } from "../../domain/errors.ts";
import { asUnavailable, isBusy, isFull, rollBack } from "./errors.ts";
import { READ_BUSY_TIMEOUT } from "./open.ts";

/**
 * What surrounds each transaction. What they throw is what the writes of that transaction fail with. `beforeOrdinary` comes
 * before writes that may not use the reserve of the disk, which `release` gives to the others.
 */
type Hooks = {
  beforeBegin: () => void;
  beforeOrdinary: () => void;
  /** `isHidden`: until it is acknowledged nobody may see it, because another thread brings it to the disk. */
  beforeCommit: (isHidden: boolean) => void;
  afterRollback: () => void;
  beforeAcknowledging: () => void;
  release: () => void;
  /** Lets another thread bring commits to a slow disk. Without it each commit waits for the disk. */
  background?: {
    /** A disk is slow if a sync takes so long, in ms. */
    slow: number;
    /** Resolves when the last commit is on disk; undefined if it changed nothing. @throws what its writes fail with */
    sync: () => Promise<void> | undefined;
    /** The same at once. */
    syncNow: () => void;
    /** Resolves when there may be another commit. */
    afterSync: () => Promise<void>;
  };
};

/** `isSynced`: it resolves when it is on disk. `usesReserve`: it may use what is reserved on a full disk. */
export type WriteOptions = { isSynced?: boolean; usesReserve?: boolean };

type Job = {
  work: () => void;
  isSynced: boolean;
  usesReserve: boolean;
  done: () => void;
  failed: (error: unknown) => void;
  arrivedAt: number;
};

/** At so many pages of the log SQLite copies it to the file after a commit, and waits for the disk: its own default. */
const CHECKPOINT_AT = 1_000;

/** How long a write waits for another process, and the pause between attempts, in ms. */
const WRITE_TIMEOUT = 2_000;
const RETRY_INTERVAL = 3;
/** How long a write waits for the sync of another commit, and how often this is looked at, in ms. */
const SYNC_TIMEOUT = 5_000;
const SYNC_CHECK = 250;

/**
 * For this part of the time of a sync, and for so many ms at most, the next commit waits for as many writes as there were: those of
 * the clients that have just been answered would otherwise wait for the sync after it.
 */
const GATHERING = 0.25;
const LONGEST_GATHERING = 5;

export const HANGING = "the disk takes too long to sync what was written";

/**
 * Runs writes in transactions. Concurrent writes share a transaction, and so one disk sync. While another thread syncs a commit,
 * further writes gather for the next one: what a write reads is on disk, and so is what a refusal is for.
 */
export class GroupCommit {
  readonly #connection: DatabaseSync;
  readonly #hooks: Hooks;
  #jobs: Job[] = [];
  #isScheduled = false;
  /** Whether commits wait for the disk (`synchronous`). */
  #isSynced = true;
  /** The writes of the commit that another thread brings to the disk. */
  #syncing: Job[] | undefined;
  /** How long the last sync took, in ms. */
  #syncTook = 0;
  /** Whether another thread brings the open transaction to the disk. */
  #isBehind = false;
  #syncingSince: number | undefined;
  /** How many writes the next commit waits for, and until when (performance.now()). */
  #gathering = { size: 0, until: 0 };
  #background: Hooks["background"];

  constructor(connection: DatabaseSync, hooks: Hooks) {
    this.#connection = connection;
    this.#hooks = hooks;
    this.#background = hooks.background;
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
        arrivedAt: performance.now(),
      });
      this.#schedule(0);
    });
  }

  /** Whether the disk has taken so long to sync that writes are refused. */
  get isHanging(): boolean {
    return this.#syncingSince !== undefined && performance.now() - this.#syncingSince > SYNC_TIMEOUT;
  }

  /** Whether what resolves is on the disk, although it did not ask for it. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Tries once to commit the waiting writes; rejects the others. */
  close(): void {
    const syncing = this.#syncing?.splice(0) ?? [];
    if (syncing.length > 0) this.#acknowledge(syncing, this.#background?.syncNow);
    this.#syncing = undefined;
    this.#background = undefined;
    this.#gathering.until = 0;
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
    if (delay < 1) setImmediate(run);
    else setTimeout(run, delay);
  }

  #flush(): void {
    if (this.#syncing !== undefined || this.#jobs.length === 0) return;
    const remaining = this.#gathering.until - performance.now();
    if (this.#jobs.length < this.#gathering.size && remaining > 0) {
      this.#schedule(Math.min(remaining, 1));
      return;
    }
    this.#refuseOrdinary();
    if (this.#jobs.length === 0 || !this.#tryBegin()) return;
    const jobs = this.#jobs.splice(0);
    const error = this.#runAll(jobs);
    const [first] = jobs;
    if (error === undefined) this.#finish(jobs);
    else if (jobs.length === 1 && first !== undefined) this.#failed(first, error);
    else for (const job of jobs) this.#commitSeparately(job, (reason) => this.#failed(job, reason));
  }

  /** Acknowledges the jobs of a commit once it is on disk. */
  #finish(jobs: Job[]): void {
    const synced = this.#isBehind ? this.#background?.sync() : undefined;
    if (synced === undefined) this.#acknowledge(jobs);
    else void this.#finishSynced(jobs, synced);
  }

  async #finishSynced(jobs: Job[], synced: Promise<void>): Promise<void> {
    this.#syncing = jobs;
    const beganAt = performance.now();
    this.#syncingSince = beganAt;
    const hanging = unavailable(new Error(HANGING));
    const refusing = setInterval(() => this.#refuse((job) => isLate(job, SYNC_TIMEOUT), hanging), SYNC_CHECK);
    const error = await synced.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    clearInterval(refusing);
    this.#syncingSince = undefined;
    // Closed meanwhile: they are acknowledged.
    if (this.#background === undefined) return;
    const syncedAt = performance.now();
    this.#syncTook = syncedAt - beganAt;
    const until = syncedAt + Math.min(GATHERING * this.#syncTook, LONGEST_GATHERING);
    this.#gathering = { size: this.#jobs.length + jobs.length, until };
    this.#acknowledge(jobs.splice(0), () => {
      if (error !== undefined) throw error;
    });
    await this.#background.afterSync();
    this.#syncing = undefined;
    this.#flush();
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
      this.#begin({ isSynced: job.isSynced, isBehind: false });
    } catch (error) {
      job.failed(error);
      return;
    }
    const error = this.#runAll([job]);
    if (error === undefined) this.#acknowledge([job]);
    else failed(error);
  }

  #acknowledge(jobs: Job[], sync?: () => void): void {
    try {
      sync?.();
      this.#hooks.beforeAcknowledging();
      for (const job of jobs) job.done();
    } catch (error) {
      for (const job of jobs) job.failed(error);
    }
  }

  /** Begins a transaction. While another process writes, returns false and schedules another attempt until they are late. */
  #tryBegin(): boolean {
    try {
      const isBehind = this.#syncTook >= (this.#background?.slow ?? Infinity);
      this.#begin({ isSynced: !isBehind && this.#jobs.some(({ isSynced }) => isSynced), isBehind });
      return true;
    } catch (error) {
      this.#refuse((job) => !isBusy(error) || isLate(job, WRITE_TIMEOUT), error);
      if (this.#jobs.length > 0) this.#schedule(RETRY_INTERVAL);
      return false;
    }
  }

  /** Begins a transaction. @throws immediately while another process is writing */
  #begin({ isSynced, isBehind }: { isSynced: boolean; isBehind: boolean }): void {
    this.#hooks.beforeBegin();
    if (isBehind !== this.#isBehind) {
      this.#connection.exec(`PRAGMA wal_autocheckpoint = ${isBehind ? 0 : CHECKPOINT_AT}`);
      this.#isBehind = isBehind;
    }
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
      this.#hooks.beforeCommit(this.#isBehind);
      this.#commit();
      return undefined;
    } catch (error) {
      rollBack(this.#connection);
      this.#hooks.afterRollback();
      return error;
    }
  }

  #commit(): void {
    const beganAt = performance.now();
    try {
      this.#connection.exec("COMMIT");
    } finally {
      if (this.#isSynced) this.#syncTook = performance.now() - beganAt;
    }
  }
}

/** Whether a write has waited for so long, in ms, that it is refused: nothing of it is done. */
function isLate({ arrivedAt }: Job, timeout: number): boolean {
  return performance.now() - arrivedAt >= timeout;
}

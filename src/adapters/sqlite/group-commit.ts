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
  afterCommit: () => void;
  afterRollback: () => void;
  /** For each commit, in order. Throws after any sync that has failed. */
  beforeAcknowledging: () => void;
  release: () => void;
  /** Lets other threads bring commits to a slow disk. Without it each commit waits for the disk. */
  background?: {
    /** A disk is slow if a sync takes so long, in ms. */
    slow: number;
    /** How many syncs may be under way, and for how many writes there may be another one. */
    syncs: number;
    beside: number;
    /** A disk syncs one at a time if a sync beside others takes so many times as long as one alone. */
    oneAtATime: number;
    /**
     * Begins a sync of all that is committed; undefined if the last commit changed nothing. Resolves when it has ended, to the time that
     * it took, in ms, or to undefined after an error.
     */
    sync: () => Promise<number | undefined> | undefined;
    /** The same at once. */
    syncNow: () => void;
    isLogLong: () => boolean;
    /** Call it while nothing is hidden. Resolves when there may be another commit. */
    restartLog: () => Promise<void>;
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

/** The writes of a commit that is not known to be on the disk, and what it waits for since when (performance.now()). */
type Hidden = { jobs: Job[]; since: number };

/** At so many pages of the log SQLite copies it to the file after a commit, and waits for the disk: its own default. */
const CHECKPOINT_AT = 1_000;

/** How long a write waits for another process, and the pause between attempts, in ms. */
const WRITE_TIMEOUT = 2_000;
const RETRY_INTERVAL = 3;
/** How long a write waits for the sync of another commit, and how often this is looked at, in ms. */
const SYNC_TIMEOUT = 5_000;
const SYNC_CHECK = 250;
/** For how long a sync may last until no other commit begins beside it, in ms: writes that are not committed can be refused. */
const STUCK = 1_000;

/**
 * For this part of the time of a sync, and for so many ms at most, the next commit waits for the writes of the clients that have just
 * been answered: they would otherwise wait for the sync after it.
 */
const GATHERING = 0.25;
const LONGEST_GATHERING = 5;

/**
 * Some disks carry out one sync after the other: there those that begin beside others take several times as long, and fewer syncs with
 * more writes each are faster. The part of the average that one sync has, which is less for
 * one that took longer, because that may also be due to a busy processor; and what remains of the average after each sync alone, so
 * that some hundred later it is tried again.
 */
const WEIGHT = { shorter: 1 / 8, longer: 1 / 32 };
const FORGETTING = 0.999;

export const HANGING = "the disk takes too long to sync what was written";

/**
 * Runs writes in transactions. Concurrent writes share a transaction, and so one disk sync. While other threads sync commits, further
 * writes share the next one. A sync covers what was committed before it began, and commits are acknowledged in order, each when its
 * own sync and all that began earlier have succeeded: so what a write has read is on the disk, and what it was refused for.
 */
export class GroupCommit {
  readonly #connection: DatabaseSync;
  readonly #hooks: Hooks;
  #jobs: Job[] = [];
  #isScheduled = false;
  /** Whether commits wait for the disk (`synchronous`). */
  #isSynced = true;
  /** The commits that other threads bring to the disk, in order. */
  readonly #hidden: Hidden[] = [];
  /** Resolves when the last of them is acknowledged. */
  #acknowledged: Promise<void> | undefined;
  /** Whether the next commit waits until nothing is hidden. */
  #isDraining = false;
  /** How long the last sync took, and on average those that began alone and those that began beside others, in ms. */
  #syncTook = 0;
  #alone = 0;
  #beside = 0;
  /** Whether another thread brings the open transaction to the disk. */
  #isBehind = false;
  /** How many writes a commit has if all clients share those that may be hidden. */
  #share = 0;
  /** How many writes the next commit waits for, until the timer ends. */
  #expected = 0;
  #gathering: NodeJS.Timeout | undefined;
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
    return this.#waitsFor(SYNC_TIMEOUT);
  }

  /** Whether what resolves is on the disk, although it did not ask for it. */
  get isBehind(): boolean {
    return this.#isBehind;
  }

  /** Tries once to commit the waiting writes; rejects the others. */
  close(): void {
    if (this.#hidden.length > 0) this.#background?.syncNow();
    for (const { jobs } of this.#hidden.splice(0)) if (jobs.length > 0) this.#acknowledge(jobs);
    this.#background = undefined;
    this.#gather(0, 0);
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
    const limit = this.#limit;
    if (this.#jobs.length === 0 || this.#jobs.length < this.#expected || this.#hidden.length >= limit) return;
    this.#refuseOrdinary();
    if (this.#jobs.length === 0 || !this.#tryBegin()) return;
    this.#gather(0, 0);
    const jobs = this.#jobs.splice(0, Math.max(this.#share, Math.ceil(this.#clients / limit)));
    if (this.#jobs.length > 0) this.#schedule(0);
    const error = this.#runAll(jobs);
    const [first] = jobs;
    if (error === undefined) this.#finish(jobs);
    else if (this.#hidden.length > 0) {
      // What it has read may not be on the disk: they run again once it is.
      this.#jobs.unshift(...jobs);
      this.#isDraining = true;
    } else if (jobs.length === 1 && first !== undefined) this.#failed(first, error);
    else for (const job of jobs) this.#commitSeparately(job, (reason) => this.#failed(job, reason));
  }

  /** How many commits may be hidden, with the next one. */
  get #limit(): number {
    if (this.#background === undefined || !this.#isSlow || this.#isDraining || this.#waitsFor(STUCK)) return 1;
    const { syncs, beside, oneAtATime } = this.#background;
    if (this.#beside > oneAtATime * this.#alone) return 1;
    return Math.max(1, Math.min(syncs, Math.floor(this.#clients / beside)));
  }

  /** Whether the oldest commit has waited for the disk for longer, in ms. */
  #waitsFor(time: number): boolean {
    const [oldest] = this.#hidden;
    return oldest !== undefined && performance.now() - oldest.since > time;
  }

  get #isSlow(): boolean {
    return this.#syncTook >= (this.#background?.slow ?? Infinity);
  }

  /** How many writes are not acknowledged. */
  get #clients(): number {
    return this.#hidden.reduce((sum, { jobs }) => sum + jobs.length, this.#jobs.length);
  }

  /** Lets the next commit wait for so many writes, for so many ms. */
  #gather(size: number, time: number): void {
    clearTimeout(this.#gathering);
    this.#expected = size;
    if (size === 0) return;
    this.#gathering = setTimeout(() => {
      this.#expected = 0;
      this.#flush();
    }, time);
  }

  /** Acknowledges the jobs of a commit once it is on disk. */
  #finish(jobs: Job[]): void {
    const synced = this.#isBehind ? this.#background?.sync() : undefined;
    if (synced === undefined && this.#hidden.length === 0) this.#acknowledge(jobs);
    else this.#acknowledged = this.#finishHidden(jobs, synced, this.#acknowledged);
  }

  /** The same after `earlier`. */
  async #finishHidden(jobs: Job[], synced?: Promise<number | undefined>, earlier?: Promise<void>): Promise<void> {
    const isBeside = this.#hidden.length > 0;
    const commit = { jobs, since: performance.now() };
    this.#hidden.push(commit);
    const refuseLate = () => this.#refuse((job) => isLate(job, SYNC_TIMEOUT), unavailable(new Error(HANGING)));
    const refusing = setInterval(refuseLate, SYNC_CHECK);
    const took = await synced;
    if (took !== undefined) this.#measure(took, isBeside);
    await earlier;
    // Closed meanwhile: they are acknowledged.
    if (this.#background !== undefined) await this.#showOldest(commit, this.#background);
    clearInterval(refusing);
  }

  async #showOldest(commit: Hidden, { isLogLong, restartLog }: Required<Hooks>["background"]): Promise<void> {
    this.#share = Math.ceil(this.#clients / this.#limit);
    const expected = Math.min(this.#share, this.#jobs.length + commit.jobs.length);
    this.#gather(expected, Math.min(GATHERING * this.#syncTook, LONGEST_GATHERING));
    this.#acknowledge(commit.jobs.splice(0));
    if (isLogLong()) {
      this.#isDraining = true;
      commit.since = performance.now();
      if (this.#hidden.length === 1) await restartLog();
    }
    this.#hidden.shift();
    if (this.#hidden.length === 0) this.#isDraining = false;
    this.#flush();
  }

  #measure(took: number, isBeside: boolean): void {
    this.#syncTook = took;
    const average = (before: number) => before + WEIGHT[took < before ? "shorter" : "longer"] * (took - before);
    if (isBeside) this.#beside = average(this.#beside || this.#alone);
    else {
      this.#alone = average(this.#alone || took);
      this.#beside *= FORGETTING;
    }
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
    const jobs = this.#jobs.splice(0);
    // Each is asked once: a job that becomes late between two questions would be neither refused nor kept.
    for (const job of jobs) {
      if (isRefused(job)) job.failed(error);
      else this.#jobs.push(job);
    }
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

  #acknowledge(jobs: Job[]): void {
    try {
      this.#hooks.beforeAcknowledging();
      for (const job of jobs) job.done();
    } catch (error) {
      for (const job of jobs) job.failed(error);
    }
  }

  /** Begins a transaction. While another process writes, returns false and schedules another attempt until they are late. */
  #tryBegin(): boolean {
    try {
      const isBehind = this.#isSlow;
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
      this.#hooks.afterCommit();
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

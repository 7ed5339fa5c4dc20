import { type Backup, type BackupFailure, type BackupJob, backupName, type Place } from "../../domain/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { Clock } from "../../domain/time.ts";
import type { Log } from "../log.ts";
import type { BackupLocations } from "./locations.ts";

/**
 * Runs a command of this program in a process of its own, until it ends or the signal is aborted. Resolves with the JSON that
 * it prints. @throws Error with the reason that it prints
 */
export type RunCommand = (args: string[], signal: AbortSignal) => Promise<unknown>;

export type Parts = { deployment: Deployment; run: RunCommand; clock: Clock; log: Log };

/**
 * Makes and verifies backups, one at a time. The command does it, in a process of its own: SQLite's copy of a large database
 * takes seconds and cannot be interrupted.
 */
export class BackupRuns implements AsyncDisposable {
  /** What is under way. */
  job: BackupJob | undefined;
  /** The last failure, until the same succeeds. */
  failure: BackupFailure | undefined;
  /** Backups that failed. */
  failures = 0;
  /** The last good backup. */
  latest: { at: number; bytes: number } | undefined;
  readonly #parts: Parts;
  readonly #locations: Promise<BackupLocations>;
  readonly #stopping = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(parts: Parts, locations: Promise<BackupLocations>) {
    this.#parts = parts;
    this.#locations = locations;
  }

  /** Begins a backup. `made` resolves with its time (Unix ms), or undefined if it failed. @throws invalid_state */
  make(cause: Backup["cause"]): { job: BackupJob; made: Promise<number | undefined> } {
    const job = this.#begin({ kind: "backup", name: null, place: null });
    return { job, made: this.#track(this.#make(cause)) };
  }

  /** Begins a verification. @throws invalid_state */
  verify(place: Place, name: string): BackupJob {
    const job = this.#begin({ kind: "verification", name, place });
    void this.#track(this.#verify(place, name));
    return job;
  }

  /** Ends what is under way. */
  stop(): void {
    this.#stopping.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#ended;
  }

  #begin(job: Omit<BackupJob, "startedAt">): BackupJob {
    if (this.job !== undefined) {
      throw new PetstoreError("invalid_state", { message: `A ${this.job.kind} is under way.` });
    }
    this.job = { ...job, startedAt: this.#parts.clock() };
    return this.job;
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => {
      this.job = undefined;
    });
    this.#ended = ended;
    return ended;
  }

  async #make(cause: Backup["cause"]): Promise<number | undefined> {
    const { log, clock, deployment, run } = this.#parts;
    const startedAt = performance.now();
    const begunAt = clock();
    try {
      const args = ["database", "backup", "--json", "--cause", cause, "--at", String(begunAt)];
      const { at, isNew, bytes, ...made } = (await run(args, this.#stopping.signal)) as Made;
      this.latest = { at, bytes };
      this.#recover("backup");
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      if (isNew) log.info({ ...made, bytes, seconds }, "a backup was made");
      return at;
    } catch (error) {
      this.#fail("backup", error);
      // The process may have been killed.
      const { directory } = await this.#locations;
      await directory.removeUnfinished(backupName(deployment, begunAt)).catch(() => {});
      return undefined;
    }
  }

  async #verify(place: Place, name: string): Promise<void> {
    const { log, run } = this.#parts;
    try {
      const args = ["database", "backups", "verify", name, "--json", ...(place === "s3" ? ["--s3"] : [])];
      const { problem } = (await run(args, this.#stopping.signal)) as { problem: string | null };
      if (problem !== null) log.error({ name, place, problem }, "a backup is damaged");
      this.#recover("verification");
    } catch (error) {
      this.#fail("verification", error);
    }
  }

  #recover(kind: BackupJob["kind"]): void {
    if (this.failure?.kind === kind) this.failure = undefined;
  }

  /** The end of the service is no failure: the next start makes up for it. */
  #fail(kind: BackupJob["kind"], error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.failure = { kind, at: this.#parts.clock(), reason };
    if (kind === "backup") this.failures += 1;
    this.#parts.log.error({ reason }, `a ${kind} failed`);
  }
}

/** What `petstore database backup --json` prints without a file. */
type Made = { name: string; at: number; isNew: boolean; bytes: number; places: Place[] };

import type { Metrics } from "../../adapters/prometheus/metrics.ts";
import { type Backup, backupName } from "../../domain/backups/backup.ts";
import type { BackupContents, Place, StoredBackup } from "../../domain/backups/location.ts";
import { isDue } from "../../domain/backups/schedule.ts";
import type { BackupFailure, BackupJob, BackupService } from "../../domain/backups/service.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { BackupConfig } from "../config.ts";
import type { Log } from "../log.ts";
import type { BackgroundTask } from "../scheduler.ts";
import { type BackupLocations, nameOfBucket, openLocations } from "./locations.ts";

/**
 * Runs a command of this program in a process of its own, until it ends or the signal is aborted. Resolves with the JSON that
 * it prints. @throws Error with the reason that it prints
 */
export type RunCommand = (args: string[], signal: AbortSignal) => Promise<unknown>;

/** The pause after a failed attempt, in ms, and how often the schedule is compared with the clock. */
const RETRY_PAUSE = 300_000;
const COMPARE_INTERVAL = 1_000;

/** The console waits for the list: S3 is asked once, for so long, in ms. */
const LIST_PATIENCE = { attempts: 1, timeout: 10_000 };

type Parts = { backups: BackupConfig; deployment: Deployment; run: RunCommand; clock: Clock; log: Log };

/**
 * The backups of a running service. Each is made, and each verified, by the command in a process of its own, one at a time:
 * SQLite's copy of a large database takes seconds and cannot be interrupted.
 */
export class Backups implements BackupService, AsyncDisposable {
  readonly config: BackupConfig;
  readonly #parts: Parts;
  readonly #locations: Promise<BackupLocations>;
  readonly #stopping = new AbortController();
  #job: BackupJob | undefined;
  #ended: Promise<unknown> = Promise.resolve();
  #failure: BackupFailure | undefined;
  #failures = 0;
  /** The last good backup, and the last of the schedule. */
  #latest: { at: number; bytes: number } | undefined;
  #scheduledAt: number | undefined;
  #retryAt = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.config = parts.backups;
    this.#locations = openLocations(parts.backups, parts.deployment, LIST_PATIENCE);
  }

  get job(): BackupJob | undefined {
    return this.#job;
  }

  get failure(): BackupFailure | undefined {
    return this.#failure;
  }

  get nextAt(): number | undefined {
    const { every } = this.config;
    if (every === undefined) return undefined;
    const now = this.#parts.clock();
    const dueAt = this.#scheduledAt === undefined ? now : this.#scheduledAt + every;
    return Math.max(dueAt, now + Math.max(0, Math.round(this.#retryAt - performance.now())));
  }

  get bucket(): string | undefined {
    return this.config.s3 && nameOfBucket(this.config.s3);
  }

  addMetrics(metrics: Metrics): void {
    metrics.addBackups({
      every: (this.config.every ?? 0) / 1000,
      latest: () => this.#latest,
      failures: () => this.#failures,
    });
  }

  /** Keeps to the schedule. Its failures are reported here: the task itself does not fail. */
  get tasks(): BackgroundTask[] {
    if (this.config.every === undefined) return [];
    return [{ name: "back_up", every: COMPARE_INTERVAL, run: (signal) => this.#keepSchedule(signal) }];
  }

  async list(place: Place): Promise<StoredBackup[]> {
    return (await this.#location(place))?.list() ?? [];
  }

  async open(place: Place, name: string): Promise<BackupContents> {
    const location = await this.#location(place);
    const contents = await location?.open(name).catch((cause) => {
      throw new PetstoreError("service_unavailable", { cause });
    });
    if (contents === undefined) throw new PetstoreError("backup_not_found");
    return contents;
  }

  start(): BackupJob {
    const job = this.#begin({ kind: "backup", name: null, place: null });
    this.#track(this.#make("operator"));
    return job;
  }

  async verify(place: Place, name: string): Promise<BackupJob> {
    const stored = await this.list(place).catch((cause) => {
      throw new PetstoreError("service_unavailable", { cause });
    });
    if (!stored.some((backup) => backup.name === name)) throw new PetstoreError("backup_not_found");
    const job = this.#begin({ kind: "verification", name, place });
    this.#track(this.#verify(place, name));
    return job;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    await this.#ended;
  }

  async #location(place: Place) {
    return (await this.#locations)[place];
  }

  #begin(job: Omit<BackupJob, "startedAt">): BackupJob {
    if (this.#job !== undefined) {
      throw new PetstoreError("invalid_state", { message: `A ${this.#job.kind} is under way.` });
    }
    this.#job = { ...job, startedAt: this.#parts.clock() };
    return this.#job;
  }

  #track(work: Promise<void>): void {
    this.#ended = work.finally(() => {
      this.#job = undefined;
    });
  }

  async #keepSchedule(signal: AbortSignal): Promise<void> {
    const { every } = this.config;
    const { clock } = this.#parts;
    if (signal.aborted || every === undefined || this.#job !== undefined) return;
    // The clock of the process, which nobody sets.
    if (performance.now() < this.#retryAt || !isDue(this.#scheduledAt, every, clock())) return;
    this.#begin({ kind: "backup", name: null, place: null });
    const stop = () => this.#stopping.abort();
    signal.addEventListener("abort", stop, { once: true });
    this.#track(this.#make("schedule"));
    await this.#ended;
    signal.removeEventListener("abort", stop);
  }

  async #make(cause: Backup["cause"]): Promise<void> {
    const { log, clock, deployment } = this.#parts;
    const startedAt = performance.now();
    const begunAt = clock();
    try {
      const args = ["database", "backup", "--json", "--cause", cause, "--at", String(begunAt)];
      const { at, isNew, bytes, ...made } = (await this.#parts.run(args, this.#stopping.signal)) as Made;
      this.#latest = { at, bytes };
      if (cause === "schedule") this.#scheduledAt = at;
      this.#recover("backup");
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      if (isNew) log.info({ ...made, bytes, seconds }, "a backup was made");
    } catch (error) {
      this.#fail("backup", error);
      // The process may have been killed.
      const { directory } = await this.#locations;
      await directory.removeUnfinished(backupName(deployment, begunAt)).catch(() => {});
      if (cause === "schedule") {
        this.#retryAt = performance.now() + Math.min(RETRY_PAUSE, this.config.every ?? RETRY_PAUSE);
      }
    }
  }

  async #verify(place: Place, name: string): Promise<void> {
    try {
      const args = ["database", "backups", "verify", name, "--json", ...(place === "s3" ? ["--s3"] : [])];
      const { problem } = (await this.#parts.run(args, this.#stopping.signal)) as { problem: string | null };
      if (problem !== null) this.#parts.log.error({ name, place, problem }, "a backup is damaged");
      this.#recover("verification");
    } catch (error) {
      this.#fail("verification", error);
    }
  }

  #recover(kind: BackupJob["kind"]): void {
    if (this.#failure?.kind === kind) this.#failure = undefined;
  }

  /** The end of the service is no failure: the next start makes up for it. */
  #fail(kind: BackupJob["kind"], error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    const reason = error instanceof Error ? error.message : String(error);
    this.#failure = { kind, at: this.#parts.clock(), reason };
    if (kind === "backup") this.#failures += 1;
    this.#parts.log.error({ reason }, `a ${kind} failed`);
  }
}

/** What `petstore database backup --json` prints without a file. */
type Made = { name: string; at: number; isNew: boolean; bytes: number; places: Place[] };

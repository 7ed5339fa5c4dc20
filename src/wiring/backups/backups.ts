import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { diskOf } from "../../adapters/backups/directory.ts";
import type { Metrics } from "../../adapters/prometheus/metrics.ts";
import { IN_MEMORY } from "../../adapters/sqlite/errors.ts";
import { leastFree } from "../../domain/alerts.ts";
import {
  type Backup,
  type BackupContents,
  type BackupFailure,
  type BackupJob,
  type BackupPlace,
  type BackupService,
  backupName,
  backupTime,
  isDue,
  type RecordBackup,
  type RestoredFile,
  SQLITE_HEADER,
  type StoredBackup,
} from "../../domain/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import { invalidParameters, invalidState, messageOf, PetstoreError, unavailable } from "../../domain/errors.ts";
import type { Clock } from "../../domain/time.ts";
import type { BackgroundTask } from "../background-tasks.ts";
import type { DatabaseConfig } from "../config.ts";
import type { Log } from "../log.ts";
import type { BackupConfig } from "./config.ts";
import { type BackupLocations, nameOfBucket, openLocations, writeNew } from "./make-backup.ts";

/**
 * Runs a command of this program in a process of its own, until it ends or the signal is aborted. Resolves with the JSON that
 * it prints. @throws Error with the reason that it prints
 */
export type RunCommand = (args: string[], signal: AbortSignal) => Promise<unknown>;

/** What has begun: `job` resolves once it is on record, and rejects if it cannot be; then it is not done. */
type Begun<T> = { job: Promise<BackupJob>; ended: Promise<T> };

/** `database`: the path of its file. */
type BackupOptions = { deployment: Deployment; database: string; run: RunCommand; clock: Clock; log: Log };

/**
 * Makes and verifies backups, one at a time. The command does it, in a process of its own: SQLite's copy of a large database
 * takes seconds and cannot be interrupted.
 */
export class BackupRuns implements AsyncDisposable {
  job: BackupJob | undefined;
  /** Whether the last backup failed; undefined before the first since the start. */
  isFailing: boolean | undefined;
  restored: RestoredFile | undefined;
  /** The last failure, until the same succeeds. */
  failure: BackupFailure | undefined;
  failures = 0;
  latest: { at: number; bytes: number } | undefined;
  /** The place and the name of each that a verification has found damaged since the start. */
  readonly #damaged = new Set<string>();
  protected readonly options: BackupOptions;
  protected readonly locations: Promise<BackupLocations>;
  readonly #stopping = new AbortController();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: BackupOptions, locations: Promise<BackupLocations>) {
    this.options = options;
    this.locations = locations;
  }

  /** The names of those that a verification has found damaged since the start, in any place. */
  get damaged(): ReadonlySet<string> {
    return new Set([...this.#damaged].map((found) => found.slice(found.indexOf("/") + 1)));
  }

  /** Begins a backup. `ended` resolves with its time (Unix ms), or undefined if it failed. @throws invalid_state */
  make(cause: Backup["cause"], record?: RecordBackup): Begun<number | undefined> {
    return this.#perform({ kind: "backup", name: null, place: null }, () => this.#make(cause), record);
  }

  /** Begins a verification. @throws invalid_state */
  beginVerification(place: BackupPlace, name: string, record?: RecordBackup): Begun<void> {
    return this.#perform({ kind: "verification", name, place }, () => this.#verify(place, name), record);
  }

  /** Begins a restoration into a new file. @throws invalid_state */
  beginRestoration(
    place: BackupPlace,
    source: { name: string; file: string },
    path: string,
    record?: RecordBackup,
  ): Begun<void> {
    const job = { kind: "restoration", name: source.name, place } as const;
    return this.#perform(job, () => this.#restore(place, source, path), record);
  }

  /** Takes an unfinished file into the directory once no other job is under way. @throws Error with the reason */
  async add(file: string, name: string): Promise<void> {
    while (this.job !== undefined) await this.#ended;
    this.#begin({ kind: "upload", name, place: "directory" });
    const args = ["database", "backups", "add", file, "--name", name, "--json"];
    await this.#track(this.options.run(args, this.#stopping.signal));
  }

  /** The copy in the other place may still be damaged. */
  protected forgetDamage(place: BackupPlace, name: string): void {
    this.#damaged.delete(`${place}/${name}`);
  }

  protected stop(): void {
    this.#stopping.abort();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.stop();
    await this.#ended;
  }

  #begin(job: Omit<BackupJob, "startedAt">): BackupJob {
    if (this.job !== undefined) {
      throw invalidState(`A ${this.job.kind} is under way.`);
    }
    this.job = { ...job, startedAt: this.options.clock() };
    return this.job;
  }

  /** Does a job once it is on record. */
  #perform<T>(job: Omit<BackupJob, "startedAt">, work: () => Promise<T>, record?: RecordBackup): Begun<T> {
    const begun = this.#begin(job);
    const recorded = record?.();
    const ended = this.#track(recorded?.then(work) ?? work());
    // Who awaits the record sees its error.
    ended.catch(() => {});
    return { job: recorded?.then(() => begun) ?? Promise.resolve(begun), ended };
  }

  #track<T>(work: Promise<T>): Promise<T> {
    const ended = work.finally(() => {
      this.job = undefined;
    });
    this.#ended = ended.catch(() => {});
    return ended;
  }

  async #make(cause: Backup["cause"]): Promise<number | undefined> {
    const { log, clock, deployment, run } = this.options;
    const startedAt = performance.now();
    const begunAt = clock();
    try {
      const args = ["database", "backup", "--json", "--cause", cause, "--at", String(begunAt)];
      const { at, isNew, bytes, ...made } = (await run(args, this.#stopping.signal)) as Made;
      this.latest = { at, bytes };
      this.isFailing = false;
      this.#recover("backup");
      const seconds = Math.round(performance.now() - startedAt) / 1000;
      if (isNew) log.info({ ...made, bytes, seconds }, "a backup was made");
      return at;
    } catch (error) {
      this.#fail("backup", error);
      // The process may have been killed.
      const { directory } = await this.locations;
      await directory.removeUnfinished(backupName(deployment, begunAt)).catch(() => {});
      return undefined;
    }
  }

  async #verify(place: BackupPlace, name: string): Promise<void> {
    const { log, run } = this.options;
    try {
      const args = ["database", "backups", "verify", name, "--json", ...(place === "s3" ? ["--s3"] : [])];
      const { problem } = (await run(args, this.#stopping.signal)) as { problem: string | null };
      this.forgetDamage(place, name);
      if (problem !== null) {
        this.#damaged.add(`${place}/${name}`);
        log.error({ name, place, problem }, "a backup is damaged");
      }
      this.#recover("verification");
    } catch (error) {
      this.#fail("verification", error);
    }
  }

  async #restore(place: BackupPlace, { name, file }: { name: string; file: string }, path: string): Promise<void> {
    const { log, clock, run } = this.options;
    try {
      const source = place === "s3" ? [name, "--s3"] : [file];
      await run(["database", "restore", ...source, "--to", path, "--json"], this.#stopping.signal);
      this.restored = { name, path, at: clock() };
      log.info({ name, place, path }, "a backup was restored into a new file");
      this.#recover("restoration");
    } catch (error) {
      this.#fail("restoration", error);
    }
  }

  #recover(kind: BackupJob["kind"]): void {
    if (this.failure?.kind === kind) this.failure = undefined;
  }

  /** The end of the service is no failure: the next start makes up for it. */
  #fail(kind: BackupJob["kind"], error: unknown): void {
    if (this.#stopping.signal.aborted) return;
    this.failure = { kind, at: this.options.clock(), reason: messageOf(error) };
    if (kind === "backup") {
      this.failures += 1;
      this.isFailing = true;
    }
    this.options.log.error({ reason: messageOf(error) }, `a ${kind} failed`);
  }
}

/** What `petstore database backup --json` prints without a file. */
type Made = { name: string; at: number; isNew: boolean; bytes: number; places: BackupPlace[] };

/** The pause after a failed attempt, in ms, and how often the schedule is compared with the clock. */
const RETRY_PAUSE = 300_000;
const COMPARE_INTERVAL = 1_000;

/** The console waits for the list for so long, in ms, and S3 is asked once. */
const LIST_TIMEOUT = 8_000;
const LIST_PATIENCE = { attempts: 1, timeout: LIST_TIMEOUT };

/** The backups of a running service: their schedule, and what operators do with them. */
export class Backups extends BackupRuns implements BackupService {
  readonly config: BackupConfig;
  #scheduledAt: number | undefined;
  #retryAt = 0;
  #isUploading = false;
  /** The lists that are under way: a slow place is asked once, however many wait for it. */
  readonly #lists = new Map<BackupPlace, Promise<StoredBackup[]>>();

  constructor(config: BackupConfig, options: BackupOptions) {
    super(options, openLocations(config, options.deployment, LIST_PATIENCE));
    this.config = config;
  }

  get nextAt(): number | undefined {
    const { every } = this.config;
    if (every === undefined) return undefined;
    const now = this.options.clock();
    const dueAt = this.#scheduledAt === undefined ? now : this.#scheduledAt + every;
    return Math.max(dueAt, now + Math.max(0, Math.round(this.#retryAt - performance.now())));
  }

  get bucket(): string | undefined {
    return this.config.s3 && nameOfBucket(this.config.s3);
  }

  addMetrics(metrics: Metrics): void {
    metrics.addBackups({
      every: (this.config.every ?? 0) / 1000,
      latest: () => this.latest,
      failures: () => this.failures,
    });
  }

  /** Keeps to the schedule. Its failures are reported by the run: the task itself does not fail. */
  get tasks(): BackgroundTask[] {
    const { every } = this.config;
    if (every === undefined) return [];
    return [{ name: "back_up", every: COMPARE_INTERVAL, run: (signal) => this.#keepSchedule(every, signal) }];
  }

  async list(place: BackupPlace): Promise<StoredBackup[]> {
    let list = this.#lists.get(place);
    if (list === undefined) {
      list = this.#location(place).then(async (location) => (await location?.list()) ?? []);
      this.#lists.set(place, list);
      void list.finally(() => this.#lists.delete(place)).catch(() => {});
    }
    const late = pause(LIST_TIMEOUT, undefined, { ref: false }).then(() => {
      throw new Error(`The list took longer than ${LIST_TIMEOUT / 1000} s.`);
    });
    return Promise.race([list, late]);
  }

  async open(place: BackupPlace, name: string): Promise<BackupContents> {
    const location = await this.#location(place);
    const contents = await location?.open(name).catch(unanswered);
    if (contents === undefined) throw new PetstoreError("backup_not_found");
    return contents;
  }

  async start(record: RecordBackup): Promise<BackupJob> {
    return this.make("operator", record).job;
  }

  async verify(place: BackupPlace, name: string, record: RecordBackup): Promise<BackupJob> {
    await this.#found(place, name);
    return this.beginVerification(place, name, record).job;
  }

  async restore(place: BackupPlace, name: string, record: RecordBackup): Promise<BackupJob> {
    const { bytes } = await this.#found(place, name);
    const path = join(dirname(this.options.database), `restored-${name}`);
    if (existsSync(path)) throw invalidState(`${path} exists already. Move or delete it first.`);
    await requireRoom(dirname(path), bytes);
    const { directory } = await this.locations;
    return this.beginRestoration(place, { name, file: directory.fileOf(name) }, path, record).job;
  }

  async upload(name: string, chunks: AsyncIterable<Uint8Array>, record: RecordBackup): Promise<StoredBackup> {
    const { directory } = await this.locations;
    if (backupTime(name, this.options.deployment) === undefined) throw misnamed(this.options.deployment);
    if (this.#isUploading) throw invalidState("An upload is under way.");
    this.#isUploading = true;
    const file = directory.unfinished(name);
    try {
      await directory.create();
      if (existsSync(directory.fileOf(name))) throw invalidState(`There is a backup ${name} already.`);
      await writeNew(file, bounded(chunks, await roomIn(directory.path)));
      await this.add(file, name).catch((error) => {
        const reason = messageOf(error).replaceAll(file, "The file");
        throw new PetstoreError("validation_failed", {
          message: `This is no intact backup of this deployment. ${reason}`,
        });
      });
      await record().catch(async (error) => {
        await directory.remove(name);
        throw error;
      });
      return await this.#found("directory", name);
    } finally {
      this.#isUploading = false;
      await rm(file, { force: true });
    }
  }

  async remove(place: BackupPlace, name: string, record: RecordBackup): Promise<void> {
    await this.#found(place, name);
    if (this.job !== undefined) throw invalidState(`A ${this.job.kind} is under way.`);
    await record();
    await (await this.#location(place))?.remove(name).catch(unanswered);
    this.forgetDamage(place, name);
  }

  /** @throws backup_not_found, service_unavailable */
  async #found(place: BackupPlace, name: string): Promise<StoredBackup> {
    const stored = (await this.list(place).catch(unanswered)).find((backup) => backup.name === name);
    if (stored === undefined) throw new PetstoreError("backup_not_found");
    return stored;
  }

  async #location(place: BackupPlace) {
    return (await this.locations)[place];
  }

  async #keepSchedule(every: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.job !== undefined) return;
    // The clock of the process, which nobody sets.
    if (performance.now() < this.#retryAt || !isDue(this.#scheduledAt, every, this.options.clock())) return;
    const stop = () => this.stop();
    signal.addEventListener("abort", stop, { once: true });
    const at = await this.make("schedule").ended;
    signal.removeEventListener("abort", stop);
    if (at === undefined) this.#retryAt = performance.now() + Math.min(RETRY_PAUSE, every);
    else this.#scheduledAt = at;
  }
}

function unanswered(cause: unknown): never {
  throw unavailable(cause);
}

function misnamed(deployment: Deployment): PetstoreError {
  const problem = `must be the name of a backup of this deployment, such as ${backupName(deployment, Date.UTC(2026, 11, 2, 10))}`;
  return invalidParameters("query", [{ field: "name", problem }]);
}

/** So many bytes may be written to a disk, which then is not nearly full. */
async function roomIn(directory: string): Promise<number> {
  const disk = await diskOf(directory);
  return disk === undefined ? 0 : disk.free - 2 * leastFree(disk);
}

async function requireRoom(directory: string, bytes: number): Promise<void> {
  if (bytes > (await roomIn(directory)))
    throw invalidState(`The disk of ${directory} has no room for a file of ${bytes} bytes.`);
}

/** Passes a SQLite file on, as long as there is room for it. @throws validation_failed, payload_too_large */
async function* bounded(chunks: AsyncIterable<Uint8Array>, room: number): AsyncGenerator<Uint8Array> {
  const head: number[] = [];
  let bytes = 0;
  for await (const chunk of chunks) {
    bytes += chunk.length;
    if (bytes > room)
      throw new PetstoreError("payload_too_large", { message: "The disk of the backups has no room for this file." });
    if (head.length < SQLITE_HEADER.length) {
      head.push(...chunk.subarray(0, SQLITE_HEADER.length - head.length));
      if (!SQLITE_HEADER.startsWith(String.fromCharCode(...head))) break;
    }
    yield chunk;
  }
  if (String.fromCharCode(...head) === SQLITE_HEADER) return;
  throw new PetstoreError("validation_failed", { message: "The file is not a SQLite database." });
}

type BackupSource = { backups: BackupConfig | undefined; database: DatabaseConfig; deployment: Deployment };

/** Undefined on PostgreSQL, for a database in memory, and in a program that runs no commands. */
export function openBackups(
  { backups, database, deployment }: BackupSource,
  run: RunCommand | undefined,
  clock: Clock,
  log: Log,
): Backups | undefined {
  const isFile = database.engine === "sqlite" && database.path !== IN_MEMORY;
  if (backups === undefined || run === undefined || !isFile) return undefined;
  return new Backups(backups, { deployment, database: database.path, run, clock, log });
}

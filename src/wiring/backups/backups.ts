import { setTimeout as pause } from "node:timers/promises";
import type { Metrics } from "../../adapters/prometheus/metrics.ts";
import {
  type BackupContents,
  type BackupFailure,
  type BackupJob,
  type BackupService,
  isDue,
  type Place,
  type StoredBackup,
} from "../../domain/backups.ts";
import { PetstoreError } from "../../domain/errors.ts";
import type { BackgroundTask } from "../scheduler.ts";
import type { BackupConfig } from "./config.ts";
import { type BackupLocations, nameOfBucket, openLocations } from "./locations.ts";
import { BackupRuns, type Parts } from "./runs.ts";

/** The pause after a failed attempt, in ms, and how often the schedule is compared with the clock. */
const RETRY_PAUSE = 300_000;
const COMPARE_INTERVAL = 1_000;

/** The console waits for the list for so long, in ms, and S3 is asked once. */
const LIST_TIMEOUT = 8_000;
const LIST_PATIENCE = { attempts: 1, timeout: LIST_TIMEOUT };

/** The backups of a running service: their schedule, and what operators do with them. */
export class Backups implements BackupService, AsyncDisposable {
  readonly config: BackupConfig;
  readonly #clock: Parts["clock"];
  readonly #locations: Promise<BackupLocations>;
  readonly #runs: BackupRuns;
  /** The last backup of the schedule. */
  #scheduledAt: number | undefined;
  #retryAt = 0;
  /** The lists that are under way: a slow place is asked once, however many wait for it. */
  readonly #lists = new Map<Place, Promise<StoredBackup[]>>();

  constructor(config: BackupConfig, parts: Parts) {
    this.config = config;
    this.#clock = parts.clock;
    this.#locations = openLocations(config, parts.deployment, LIST_PATIENCE);
    this.#runs = new BackupRuns(parts, this.#locations);
  }

  get job(): BackupJob | undefined {
    return this.#runs.job;
  }

  get failure(): BackupFailure | undefined {
    return this.#runs.failure;
  }

  get nextAt(): number | undefined {
    const { every } = this.config;
    if (every === undefined) return undefined;
    const now = this.#clock();
    const dueAt = this.#scheduledAt === undefined ? now : this.#scheduledAt + every;
    return Math.max(dueAt, now + Math.max(0, Math.round(this.#retryAt - performance.now())));
  }

  get bucket(): string | undefined {
    return this.config.s3 && nameOfBucket(this.config.s3);
  }

  addMetrics(metrics: Metrics): void {
    metrics.addBackups({
      every: (this.config.every ?? 0) / 1000,
      latest: () => this.#runs.latest,
      failures: () => this.#runs.failures,
    });
  }

  /** Keeps to the schedule. Its failures are reported by the run: the task itself does not fail. */
  get tasks(): BackgroundTask[] {
    const { every } = this.config;
    if (every === undefined) return [];
    return [{ name: "back_up", every: COMPARE_INTERVAL, run: (signal) => this.#keepSchedule(every, signal) }];
  }

  async list(place: Place): Promise<StoredBackup[]> {
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

  async open(place: Place, name: string): Promise<BackupContents> {
    const location = await this.#location(place);
    const contents = await location?.open(name).catch((cause) => {
      throw new PetstoreError("service_unavailable", { cause });
    });
    if (contents === undefined) throw new PetstoreError("backup_not_found");
    return contents;
  }

  start(): BackupJob {
    return this.#runs.make("operator").job;
  }

  async verify(place: Place, name: string): Promise<BackupJob> {
    const stored = await this.list(place).catch((cause) => {
      throw new PetstoreError("service_unavailable", { cause });
    });
    if (!stored.some((backup) => backup.name === name)) throw new PetstoreError("backup_not_found");
    return this.#runs.verify(place, name);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#runs[Symbol.asyncDispose]();
  }

  async #location(place: Place) {
    return (await this.#locations)[place];
  }

  async #keepSchedule(every: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted || this.#runs.job !== undefined) return;
    // The clock of the process, which nobody sets.
    if (performance.now() < this.#retryAt || !isDue(this.#scheduledAt, every, this.#clock())) return;
    const stop = () => this.#runs.stop();
    signal.addEventListener("abort", stop, { once: true });
    const at = await this.#runs.make("schedule").made;
    signal.removeEventListener("abort", stop);
    if (at === undefined) this.#retryAt = performance.now() + Math.min(RETRY_PAUSE, every);
    else this.#scheduledAt = at;
  }
}

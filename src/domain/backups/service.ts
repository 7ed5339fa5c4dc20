import type { BackupContents, Place, StoredBackup } from "./location.ts";

/** What is under way: a backup, or the verification of one. `startedAt` is Unix ms. */
export type BackupJob = {
  kind: "backup" | "verification";
  name: string | null;
  place: Place | null;
  startedAt: number;
};

/** The last job that could not be done. `at` is Unix ms. */
export type BackupFailure = { kind: BackupJob["kind"]; at: number; reason: string };

/** The settings of the schedule: the interval in ms, if it makes backups, and how many of these are kept. */
export type BackupSettings = { directory: string; every: number | undefined; keep: number };

/** The backups of a running service. One job is under way at a time. */
export interface BackupService {
  readonly config: BackupSettings;
  /** The name of the bucket that has copies; undefined without one. */
  readonly bucket: string | undefined;
  readonly job: BackupJob | undefined;
  /** Undefined once a job of the same kind has succeeded. */
  readonly failure: BackupFailure | undefined;
  /** When the schedule makes the next backup, in Unix ms. */
  readonly nextAt: number | undefined;
  /** The backups in a place, newest first. @throws Error with the reason */
  list(place: Place): Promise<StoredBackup[]>;
  /** @throws backup_not_found, service_unavailable */
  open(place: Place, name: string): Promise<BackupContents>;
  /** Begins a backup, and does not wait for it. @throws invalid_state while a job is under way */
  start(): BackupJob;
  /** Begins a verification, and does not wait for it. @throws invalid_state, backup_not_found, service_unavailable */
  verify(place: Place, name: string): Promise<BackupJob>;
}

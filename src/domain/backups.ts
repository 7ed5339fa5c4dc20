import { z } from "zod";
import { type Deployment, deployments } from "./deployment.ts";
import { timestampOf } from "./time.ts";

/** Every SQLite database begins with it. */
export const SQLITE_HEADER = "SQLite format 3\0";

/** The database that a file beside it belongs to, by the name of that file; undefined for other names. */
export function databaseOf(path: string): string | undefined {
  return /^(.+)(?:-wal|-shm|-journal|\.ids|\.lock|\.reserve|\.requests)$/.exec(path)?.[1];
}

/** The schedule deletes its own old backups. Those that an operator asked for stay. */
export const causes = ["schedule", "operator"] as const;
export type Cause = (typeof causes)[number];

const count = z.int().min(0);

/**
 * What a service wrote down about a backup when it had written and checked it. `database` is the path of the original.
 * `verifiedAt` (Unix ms) is the last check, and `problem` what it found.
 */
export const Backup = z.strictObject({
  name: z.string(),
  database: z.string(),
  cause: z.enum(causes),
  bytes: count,
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  schema: count,
  pets: count,
  orders: count,
  keys: count,
  verifiedAt: z.int(),
  problem: z.string().nullable(),
});
export type Backup = z.infer<typeof Backup>;

const NAME = new RegExp(
  `^petstore-(${deployments.join("|")})-(\\d{4}-\\d\\d-\\d\\d)T(\\d\\d)-(\\d\\d)-(\\d\\d\\.\\d{3}Z)\\.db$`,
);

/** The name of a deployment's backup made at `at` (Unix ms). Names sort by time, and are valid on every file system. */
export function backupName(deployment: Deployment, at: number): string {
  return `petstore-${deployment}-${new Date(at).toISOString().replaceAll(":", "-")}.db`;
}

/** When the deployment's backup of this name was made, in Unix ms; undefined for any other name. */
export function backupTime(name: string, deployment: Deployment): number | undefined {
  const [, of, date, hours, minutes, seconds] = NAME.exec(name) ?? [];
  if (of !== deployment) return undefined;
  const time = Date.parse(`${date}T${hours}:${minutes}:${seconds}`);
  return Number.isNaN(time) ? undefined : time;
}

export function descriptionName(name: string): string {
  return `${name}.json`;
}

/** Reads a description. Returns undefined unless it describes the backup of this name. */
export function parseBackup(text: string, name: string): Backup | undefined {
  try {
    const { success, data } = Backup.safeParse(JSON.parse(text));
    return success && data.name === name ? data : undefined;
  } catch {
    return undefined;
  }
}

/** A backup that was made at `at` (Unix ms). */
type Dated = { at: number };

/**
 * The newest of these backups that was made by `now`; undefined if there is none. A clock that was wrong leaves backups with
 * times to come: they must not keep the schedule from making another for as long.
 */
export function newest<T extends Dated>(backups: readonly T[], now: number): T | undefined {
  return byAge(backups, now).find(({ at }) => at <= now);
}

/** Whether it is time for a backup: there is none from the last `every` ms. Of several that were missed one is made up. */
export function isDue(latest: number | undefined, every: number, now: number): boolean {
  return latest === undefined || latest > now || now - latest >= every;
}

/**
 * The backups to delete: those that the schedule made, but the `keep` newest. One with a time to come was made before the
 * clock was set back, so before all others.
 */
export function obsolete<T extends Dated & { cause: Cause }>(backups: readonly T[], keep: number, now: number): T[] {
  return byAge(
    backups.filter(({ cause }) => cause === "schedule"),
    now,
  ).slice(keep);
}

/** Newest first; those with times to come last. */
function byAge<T extends Dated>(backups: readonly T[], now: number): T[] {
  return [...backups].sort((a, b) => Number(a.at > now) - Number(b.at > now) || b.at - a.at);
}

export const places = ["directory", "s3"] as const;
export type BackupPlace = (typeof places)[number];

/** A backup as it is listed. Without a description nothing is known of it: it was not written there by a service, or not entirely. */
export type StoredBackup = { name: string; at: number; bytes: number; description: Backup | undefined };

export type BackupContents = { bytes: number; chunks: AsyncGenerator<Uint8Array> };

/** A place with the backups of one deployment. Each method throws an Error that says what the place refuses, or that it does not answer. */
export interface BackupLocation {
  /** Newest first. */
  list(): Promise<StoredBackup[]>;
  /** Returns undefined if there is none of this name. */
  open(name: string): Promise<BackupContents | undefined>;
  describe(backup: Backup): Promise<void>;
  /** Removes a backup and its description. It may be gone already. */
  remove(name: string): Promise<void>;
}

/** What is under way: a backup, or the verification, the restoration or the check of an upload of one. `startedAt` is Unix ms. */
export type BackupJob = {
  kind: "backup" | "verification" | "restoration" | "upload";
  name: string | null;
  place: BackupPlace | null;
  startedAt: number;
};

/** The last job that could not be done. `at` is Unix ms. */
export type BackupFailure = { kind: BackupJob["kind"]; at: number; reason: string };

/** The new file with the contents of a backup, since `at` (Unix ms). */
export type RestoredFile = { name: string; path: string; at: number };

/** The settings of the schedule: the interval in ms, if it makes backups, and how many of these are kept. */
type BackupSettings = { directory: string; every: number | undefined; keep: number };

/** Writes to the audit log what is about to be done with a backup. If it throws, that is not done. */
export type RecordBackup = () => Promise<void>;

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
  list(place: BackupPlace): Promise<StoredBackup[]>;
  /** @throws backup_not_found, service_unavailable */
  open(place: BackupPlace, name: string): Promise<BackupContents>;
  /** Begins a backup, and does not wait for it. @throws invalid_state while a job is under way */
  start(record: RecordBackup): Promise<BackupJob>;
  /** Begins a verification, and does not wait for it. @throws invalid_state, backup_not_found, service_unavailable */
  verify(place: BackupPlace, name: string, record: RecordBackup): Promise<BackupJob>;
  /** The last restoration since the start. */
  readonly restored: RestoredFile | undefined;
  /**
   * Begins to restore a backup into a new file beside the database, which stays as it is, and does not wait for it.
   * @throws invalid_state, also without room; backup_not_found, service_unavailable
   */
  restore(place: BackupPlace, name: string, record: RecordBackup): Promise<BackupJob>;
  /**
   * Writes a file into the directory, checks it, and only then lists it under its name. It is removed if it cannot be recorded.
   * @throws invalid_parameter, validation_failed for a file that is no intact backup of this deployment, payload_too_large, invalid_state
   */
  upload(name: string, chunks: AsyncIterable<Uint8Array>, record: RecordBackup): Promise<StoredBackup>;
  /** Deletes a backup with its description. @throws invalid_state while a job is under way; backup_not_found, service_unavailable */
  remove(place: BackupPlace, name: string, record: RecordBackup): Promise<void>;
}

/** A backup as lists show it, for JSON. Without a description what it contains is unknown: null. */
export function backupJson(place: BackupPlace, { name, at, bytes, description }: StoredBackup) {
  const { cause = null, pets = null, orders = null, keys = null, schema = null, problem = null } = description ?? {};
  const verifiedAt = description === undefined ? null : timestampOf(description.verifiedAt);
  return { name, place, createdAt: timestampOf(at), bytes, cause, pets, orders, keys, schema, verifiedAt, problem };
}

import type { Backup } from "./backup.ts";

export const places = ["directory", "s3"] as const;
/** Where a backup is. */
export type Place = (typeof places)[number];

/** A backup as it is listed. Without a description nothing is known of it: it was not written there by a service, or not entirely. */
export type StoredBackup = { name: string; at: number; bytes: number; description: Backup | undefined };

/** The contents of a backup. */
export type BackupContents = { bytes: number; chunks: AsyncGenerator<Uint8Array> };

/** A place with the backups of one deployment. Each method throws an Error that says what the place refuses, or that it does not answer. */
export interface BackupLocation {
  /** Newest first. */
  list(): Promise<StoredBackup[]>;
  /** Returns undefined if there is none of this name. */
  open(name: string): Promise<BackupContents | undefined>;
  /** Writes or replaces a description. */
  describe(backup: Backup): Promise<void>;
  /** Removes a backup and its description. It may be gone already. */
  remove(name: string): Promise<void>;
}

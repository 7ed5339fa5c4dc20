import { BackupDirectory } from "../../adapters/backups/directory.ts";
import type { S3Backups } from "../../adapters/s3/backups.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { BackupConfig } from "./config.ts";

/** Where the backups of a service are. */
export type BackupLocations = { directory: BackupDirectory; s3: S3Backups | undefined };

/** `patience`: how often S3 is asked, and how long it may take, in ms; by default what an upload needs. */
export async function openLocations(
  { directory, s3 }: BackupConfig,
  deployment: Deployment,
  patience: { attempts?: number; timeout?: number } = {},
): Promise<BackupLocations> {
  return {
    directory: new BackupDirectory(directory, deployment),
    s3: s3 && (await openS3(s3, deployment, patience)),
  };
}

/** Loaded only with a bucket. */
async function openS3(s3: NonNullable<BackupConfig["s3"]>, deployment: Deployment, patience: object) {
  const [{ S3Client }, { S3Objects }, { S3Backups }] = await Promise.all([
    import("../../adapters/s3/client.ts"),
    import("../../adapters/s3/client.ts"),
    import("../../adapters/s3/backups.ts"),
  ]);
  return new S3Backups(new S3Objects(new S3Client(s3, patience), s3.prefix), deployment);
}

/** Names a bucket for messages, without credentials. */
export function nameOfBucket({ bucket, prefix }: NonNullable<BackupConfig["s3"]>): string {
  return `s3://${bucket}/${prefix}`;
}

import { dirname, join, resolve } from "node:path";
import type { z } from "zod";
import type { S3Bucket } from "../../adapters/s3/client.ts";
import type { backupVariables } from "./variables.ts";

/**
 * The directory of the backups of a SQLite database, how often the service makes one (in ms; undefined: never by itself),
 * how many of these are kept, and the bucket that has copies, with the beginning of their keys.
 */
export type BackupConfig = {
  directory: string;
  every: number | undefined;
  keep: number;
  s3: (S3Bucket & { prefix: string }) | undefined;
};

type Values = z.output<z.ZodObject<typeof backupVariables>>;

/** What is wrong with settings of backups that are each valid. */
export function backupProblems(values: Values, engine: "sqlite" | "postgres"): string[] {
  const { PETSTORE_BACKUP_EVERY: every, PETSTORE_BACKUP_S3: s3 } = values;
  if (engine === "postgres" && (every ?? s3) !== undefined) {
    const name = every === undefined ? "PETSTORE_BACKUP_S3" : "PETSTORE_BACKUP_EVERY";
    return [`${name} is for SQLite. Back up PostgreSQL with its own tools, such as pg_dump or pgBackRest.`];
  }
  if (s3 === undefined) return [];
  const required = ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"] as const;
  return required.filter((name) => values[name] === undefined).map((name) => `PETSTORE_BACKUP_S3 needs ${name}.`);
}

/** `database`: the path of its file. */
export function backupsOf(values: Values, database: string): BackupConfig {
  const { PETSTORE_BACKUP_S3: s3, AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = values;
  const hasBucket = s3 !== undefined && accessKeyId !== undefined && secretAccessKey !== undefined;
  return {
    directory: resolve(values.PETSTORE_BACKUP_DIR ?? join(dirname(database), "backups")),
    every: values.PETSTORE_BACKUP_EVERY,
    keep: values.PETSTORE_BACKUP_KEEP,
    s3: hasBucket
      ? {
          ...s3,
          ...{ accessKeyId, secretAccessKey },
          endpoint: values.AWS_ENDPOINT_URL_S3,
          region: values.AWS_REGION,
          sessionToken: values.AWS_SESSION_TOKEN,
        }
      : undefined,
  };
}

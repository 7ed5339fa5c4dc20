import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import type { S3Bucket } from "../../adapters/s3/client.ts";
import { derived, durationOrOff, optional, variable, wholeNumber } from "../config-schemas.ts";

/** A bucket, and the beginning of the keys there: empty, or ending in a slash. */
const bucketUrl = z.string().transform((text, context) => {
  const [, bucket, path = ""] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([\w./-]{0,500}))?$/.exec(text) ?? [];
  if (bucket !== undefined) return { bucket, prefix: path.replace(/^\/+/, "").replace(/([^/])\/*$/, "$1/") };
  context.addIssue("must be s3:// and a bucket, such as s3://my-backups or s3://my-backups/petstore");
  return z.NEVER;
});

const endpointUrl = z.string().refine(
  (text) => {
    if (!/^https?:\/\/\S+$/.test(text) || !URL.canParse(text)) return false;
    const { username, password, search, hash } = new URL(text);
    return [username, password, search, hash].every((part) => part === "");
  },
  { error: "must be the http or https URL of a service that is compatible with S3, such as https://minio.example.com" },
);

const region = z.string().regex(/^[\w-]{1,64}$/, { error: "must be a region, such as eu-central-1" });

/** Text for a header. */
const credential = z.string().regex(/^[\x21-\x7e]{1,4096}$/, { error: "must be printable ASCII without spaces" });

/** The variables of backups, and those of the AWS tools that name and open a bucket. */
export const backupVariables = {
  PETSTORE_BACKUP_EVERY: variable(
    durationOrOff("1m", "366d", "6h or 1d"),
    "off",
    "How often the service [backs up](backups.md) its SQLite database: a duration such as `6h` or `1d`, or `off`.",
  ),
  PETSTORE_BACKUP_DIR: derived(
    z.string(),
    "data/backups",
    "The directory of backups; by default `backups` beside the database file. It is created if the directory above it exists.",
  ),
  PETSTORE_BACKUP_KEEP: variable(
    wholeNumber(1, 1_000),
    "7",
    "How many backups of the schedule are kept, in the directory and in the bucket. Those that an operator asks for stay.",
  ),
  PETSTORE_BACKUP_S3: optional(
    bucketUrl,
    "The bucket, of S3 or a compatible service, that gets a copy of each backup: `s3://bucket` or `s3://bucket/prefix`.",
  ),
  AWS_ENDPOINT_URL_S3: optional(
    endpointUrl,
    "The URL of a service that is compatible with S3, such as MinIO. Without it, S3 itself.",
  ),
  AWS_REGION: variable(region, "us-east-1", "The region of the bucket."),
  AWS_ACCESS_KEY_ID: optional(credential, "The access key for the bucket."),
  AWS_SECRET_ACCESS_KEY: optional(credential, "Its secret."),
  AWS_SESSION_TOKEN: optional(credential, "Its session token, if it is temporary."),
};

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
          accessKeyId,
          secretAccessKey,
          endpoint: values.AWS_ENDPOINT_URL_S3,
          region: values.AWS_REGION,
          sessionToken: values.AWS_SESSION_TOKEN,
        }
      : undefined,
  };
}

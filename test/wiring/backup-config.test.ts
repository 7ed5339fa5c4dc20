import { expect, test } from "bun:test";
import { resolve } from "node:path";
import { readConfig } from "../../src/wiring/config.ts";
import { ConfigError } from "../../src/wiring/config-schemas.ts";
import { states } from "../support/markdown.ts";

const ACCESS_KEY = { AWS_ACCESS_KEY_ID: "an-id", AWS_SECRET_ACCESS_KEY: "a-secret" };

function problemsIn(environment: Record<string, string>): string[] {
  try {
    readConfig(environment);
    return [];
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
}

test("every setting of backups is read", () => {
  states(
    "docs/settings.md",
    "The bucket, of S3 or a compatible service",
    "The region of the bucket.",
    "The access key for the bucket.",
    "a duration such as `6h` or `1d`, or `off`.",
  );
  const { backups } = readConfig({
    DATABASE_URL: "sqlite:/var/lib/petstore/pets.db",
    PETSTORE_BACKUP_EVERY: "6h",
    PETSTORE_BACKUP_DIR: "/mnt/backups",
    PETSTORE_BACKUP_KEEP: "30",
    PETSTORE_BACKUP_S3: "s3://my-backups/petstore/production",
    AWS_ENDPOINT_URL_S3: "https://minio.example.com",
    AWS_REGION: "eu-central-1",
    AWS_SESSION_TOKEN: "a-token",
    ...ACCESS_KEY,
  });
  expect(backups).toEqual({
    directory: "/mnt/backups",
    every: 6 * 3_600_000,
    keep: 30,
    s3: {
      bucket: "my-backups",
      prefix: "petstore/production/",
      endpoint: "https://minio.example.com",
      region: "eu-central-1",
      accessKeyId: "an-id",
      secretAccessKey: "a-secret",
      sessionToken: "a-token",
    },
  });
});

test("by default backups are beside the database, and nothing makes them by itself", () => {
  states("docs/settings.md", "The directory of backups; by default `backups` beside the database file.");
  states("docs/backups.md", "`PETSTORE_BACKUP_DIR` | `backups` beside the database");
  expect(readConfig({ DATABASE_URL: "sqlite:/srv/pets.db" }).backups).toMatchObject({
    directory: resolve("/srv/backups"),
    every: undefined,
    s3: undefined,
  });
});

test.each([
  ["s3://bucket", ""],
  ["s3://bucket/", ""],
  ["s3://my-backups/petstore", "petstore/"],
  ["s3://bucket/a/b//", "a/b/"],
  ["s3://bucket//a", "a/"],
  ["s3://bucket///", ""],
])("%s has its objects below %j", (url, prefix) => {
  states(
    "docs/backups.md",
    "`PETSTORE_BACKUP_S3=s3://my-backups/petstore` copies each backup to the bucket `my-backups`, below `petstore/`.",
    "`AWS_REGION` | The region of the bucket, `us-east-1` by default.",
  );
  const { s3 } = readConfig({ PETSTORE_BACKUP_S3: url, ...ACCESS_KEY }).backups ?? {};
  expect(s3).toMatchObject({ bucket: new URL(url).host, prefix, region: "us-east-1" });
});

test("the name of a bucket has up to 63 characters", () => {
  for (const bucket of ["abc", `a.${"b-1".repeat(20)}c`]) {
    expect(readConfig({ PETSTORE_BACKUP_S3: `s3://${bucket}`, ...ACCESS_KEY }).backups?.s3).toMatchObject({ bucket });
  }
});

test.each([
  ["1m", 60_000],
  ["6h", 6 * 3_600_000],
  ["1d", 86_400_000],
  ["366d", 366 * 86_400_000],
])("an interval of %s is allowed", (PETSTORE_BACKUP_EVERY, every) => {
  states("docs/backups.md", "`PETSTORE_BACKUP_EVERY` | `off` | How often, such as `6h` or `1d`.");
  expect(readConfig({ PETSTORE_BACKUP_EVERY }).backups?.every).toBe(every);
});

test.each([
  [
    { PETSTORE_BACKUP_EVERY: "30s" },
    "PETSTORE_BACKUP_EVERY must be a duration from 1m to 366d, such as 6h or 1d, or off.",
  ],
  [
    { PETSTORE_BACKUP_EVERY: "daily" },
    "PETSTORE_BACKUP_EVERY must be a duration from 1m to 366d, such as 6h or 1d, or off.",
  ],
  [{ PETSTORE_BACKUP_KEEP: "0" }, "PETSTORE_BACKUP_KEEP must be a whole number from 1 to 1000."],
  [
    { PETSTORE_BACKUP_S3: "https://bucket.example.com", ...ACCESS_KEY },
    "PETSTORE_BACKUP_S3 must be s3:// and a bucket, such as s3://my-backups or s3://my-backups/petstore.",
  ],
  ...["My-Backups", "ab", "-backups", "backups-", "a".repeat(64), "b_b", "backups/a b", "backups/a?b"].map(
    (name): [Record<string, string>, string] => [
      { PETSTORE_BACKUP_S3: `s3://${name}`, ...ACCESS_KEY },
      "PETSTORE_BACKUP_S3 must be s3:// and a bucket, such as s3://my-backups or s3://my-backups/petstore.",
    ],
  ),
  [{ PETSTORE_BACKUP_S3: "s3://bucket", AWS_ACCESS_KEY_ID: "id" }, "PETSTORE_BACKUP_S3 needs AWS_SECRET_ACCESS_KEY."],
  [{ PETSTORE_BACKUP_S3: "s3://bucket", AWS_SECRET_ACCESS_KEY: "s" }, "PETSTORE_BACKUP_S3 needs AWS_ACCESS_KEY_ID."],
  ...["https://id:secret@minio.example.com", "ftp://minio", "minio:9000", "https://minio/?a", "https://minio/#a"].map(
    (url): [Record<string, string>, string] => [
      { AWS_ENDPOINT_URL_S3: url },
      "AWS_ENDPOINT_URL_S3 must be the http or https URL of a service that is compatible with S3, such as https://minio.example.com.",
    ],
  ),
  [{ AWS_REGION: "eu central" }, "AWS_REGION must be a region, such as eu-central-1."],
  [{ AWS_SECRET_ACCESS_KEY: "two words" }, "AWS_SECRET_ACCESS_KEY must be printable ASCII without spaces."],
])("%j is refused", (environment, problem) => {
  expect(problemsIn(environment)).toEqual([problem]);
});

test("PostgreSQL has tools of its own, and refuses a schedule and a bucket", () => {
  states(
    "docs/backups.md",
    "With PostgreSQL the service refuses to start with `PETSTORE_BACKUP_EVERY` or `PETSTORE_BACKUP_S3`.",
  );
  const DATABASE_URL = "postgres://localhost/petstore";
  expect(readConfig({ DATABASE_URL }).backups).toBeUndefined();
  for (const setting of [{ PETSTORE_BACKUP_EVERY: "1d" }, { PETSTORE_BACKUP_S3: "s3://bucket", ...ACCESS_KEY }]) {
    expect(problemsIn({ DATABASE_URL, ...setting })).toEqual([
      `${Object.keys(setting)[0]} is for SQLite. Back up PostgreSQL with its own tools, such as pg_dump or pgBackRest.`,
    ]);
  }
});

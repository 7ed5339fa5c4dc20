import { basename } from "node:path";
import { Option } from "commander";
import {
  type BackupLocation,
  type BackupPlace,
  backupJson,
  type Cause,
  causes,
  type StoredBackup,
} from "../domain/backups.ts";
import { StartupError } from "../domain/errors.ts";
import {
  addBackup,
  type BackupTarget,
  makeBackup,
  openLocations,
  restoreBackup,
  verifyBackup,
  writeBackup,
} from "../wiring/backups/make-backup.ts";
import { databaseNameOf, readConfig } from "../wiring/config.ts";
import { columnsOf, cut, terminalWidth } from "./lists.ts";
import { defineCommand, defineGroup, type JsonOption, wholeNumber } from "./options.ts";
import { count, print } from "./output.ts";
import { CREATE_OPTION, requireDatabase } from "./stores.ts";

/** A size in megabytes. */
function formatBytes(bytes: number): string {
  return `${(bytes / 1_000_000).toLocaleString("en", { maximumFractionDigits: 1 })} MB`;
}

/** The database that the environment names, and where its backups go. @throws ConfigError, StartupError on PostgreSQL */
function backupTarget(): BackupTarget {
  const { database, deployment, backups } = readConfig(process.env);
  if (database.engine === "sqlite" && backups !== undefined) return { database, deployment, backups };
  throw new StartupError(
    `${databaseNameOf(database)} is a server, not a file. pg_dump makes a backup of it, and pg_restore restores it.`,
  );
}

/** The same for a database that exists. @throws StartupError when it does not */
function requireBackups(): BackupTarget {
  const target = backupTarget();
  requireDatabase(target.database);
  return target;
}

const HEAD = ["NAME", "PLACE", "SIZE", "STATE"];

const list = defineCommand({
  name: "list",
  description: "List all backups, newest first.",
  examples: ["petstore database backups list --json | jq -r '.[0].name'"],
  action: async ({ json }: JsonOption) => {
    const { backups, deployment } = backupTarget();
    const { directory, s3 } = await openLocations(backups, deployment);
    const found = [...(await listed("directory", directory)), ...(await listed("s3", s3))];
    found.sort((a, b) => b.at - a.at);
    print(
      json,
      found.map((backup) => backupJson(backup.place, backup)),
      () => (found.length === 0 ? `There are no backups in ${backups.directory}.` : tableText(found)),
    );
  },
});

type Listed = StoredBackup & { place: BackupPlace };

async function listed(place: BackupPlace, location: BackupLocation | undefined): Promise<Listed[]> {
  const stored = (await location?.list()) ?? [];
  return stored.map((backup) => ({ ...backup, place }));
}

/** Names take half of a line of 80 columns: what a backup contains, or what is wrong with it, is below. */
function tableText(found: Listed[]): string {
  const [head, ...lines] = columnsOf([HEAD, ...found.map(row)]).split("\n");
  const below = found.map((backup) => cut(`  ${contentsOf(backup)}`, terminalWidth()));
  return [head, ...lines.flatMap((line, i) => [line, below[i]])].join("\n");
}

function row({ name, place, bytes, description }: Listed): string[] {
  const state = description === undefined ? "not verified" : description.problem === null ? "verified" : "damaged";
  return [name, place, formatBytes(bytes), state];
}

function contentsOf({ description }: Listed): string {
  if (description === undefined) return "No description is beside it.";
  const { problem, pets, orders, keys } = description;
  const counts = [count(pets, ["pet", "pets"]), count(orders, ["order", "orders"]), count(keys, ["key", "keys"])];
  return problem ?? counts.join(" · ");
}

const verify = defineCommand({
  name: "verify",
  description: "Read a whole backup and look for damage. Exits with 1 if it finds any.",
  arguments: [["<name>", "the name of a backup, as the list has it"]],
  options: [["--s3", "download and verify the copy in the bucket"]],
  examples: ['petstore database backups verify "$NAME"'],
  action: async (name: string, { s3 = false, json }: JsonOption & { s3?: boolean }) => {
    const verification = await verifyBackup(backupTarget(), { name, place: s3 ? "s3" : "directory" }, Date.now());
    const { problem } = verification;
    print(json, verification, () => (problem === null ? `${name} is intact.` : `${name} is damaged: ${problem}`));
    if (problem !== null) process.exitCode = 1;
  },
});

const add = defineCommand({
  name: "add",
  description: "Check a backup, such as a download, and copy it to PETSTORE_BACKUP_DIR, with a new description.",
  arguments: [["<file>", "a backup"]],
  options: [
    [
      "--name <name>",
      "its name there, such as petstore-production-2026-12-02T10-00-00.250Z.db; by default that of the file",
    ],
  ],
  examples: ['petstore database backups add "$FILE"'],
  action: async (file: string, { name = basename(file), json }: JsonOption & { name?: string }) => {
    const backup = await addBackup(backupTarget(), { file, name }, Date.now());
    print(json, { name, bytes: backup.bytes }, () => `${name} is intact, and in the list.`);
  },
});

export const backups = defineGroup(
  "backups",
  "List, verify and add to the backups in PETSTORE_BACKUP_DIR and PETSTORE_BACKUP_S3.",
  [list, verify, add],
);

type RestoreOptions = JsonOption & { s3?: boolean; unverified?: boolean; create?: boolean; to?: string };

export const restore = defineCommand({
  name: "restore",
  description: "Replace the database with a backup, and keep the previous database beside it. Stop the service first.",
  arguments: [["<file>", "a backup"]],
  options: [
    ["--s3", "download the backup of this name from PETSTORE_BACKUP_S3"],
    ["--unverified", "restore also without the description beside it, which has the SHA-256 of what was written"],
    CREATE_OPTION,
    ["--to <file>", "restore into this new file, and leave the database as it is: the service may run"],
  ],
  examples: ["petstore database restore backups/petstore-2026-12-02.db", "petstore database restore --s3 $NAME"],
  action: async (file: string, { s3 = false, unverified = false, create, to, json }: RestoreOptions) => {
    const target = backupTarget();
    const path = to ?? target.database.path;
    const source = { file, place: s3 ? ("s3" as const) : ("directory" as const) };
    const restored = await restoreBackup(target, source, { create, to, isUnverified: unverified, now: Date.now() });
    const { pets, orders, keys, version, kept, isVerified } = restored;
    const summary = { path, file, schema: version, pets, orders, keys, verified: isVerified, kept: kept[0] ?? null };
    print(json, summary, () =>
      [
        `Restored ${path} from ${file}: ${count(pets, ["pet", "pets"])}, ${count(orders, ["order", "orders"])} and ${count(keys, ["key", "keys"])}.`,
        ...(isVerified ? [] : ["It was not compared with what was written: it has no description."]),
        ...(kept.length === 0 ? [] : [`The previous database is kept as ${kept.join(" and ")}.`]),
      ].join("\n"),
    );
  },
});

type BackupOptions = JsonOption & { force?: boolean; cause: Cause; at?: number };

export const backup = defineCommand({
  name: "backup",
  description: "Copy the database, consistent as of one moment, and check the copy. Works while the service runs.",
  arguments: [["[file]", "the path of the copy; without it, PETSTORE_BACKUP_DIR and PETSTORE_BACKUP_S3 get a backup"]],
  options: [
    ["--force", "replace the file if it exists"],
    new Option("--cause <cause>", "why it is made").choices(causes).default("operator").hideHelp(),
    new Option("--at <time>", "the time of the service, in Unix ms").argParser(wholeNumber(0, 8.64e15)).hideHelp(),
  ],
  examples: ["petstore database backup", "petstore database backup backups/petstore-$(date +%F).db"],
  action: (file: string | undefined, options: BackupOptions) =>
    file === undefined ? backupToPlaces(options) : backupToFile(file, options),
});

async function backupToPlaces({ json, cause, at: now = Date.now() }: BackupOptions): Promise<void> {
  const target = requireBackups();
  const { backup, at, isNew, places } = await makeBackup(target, cause, now);
  const { name, bytes, pets, orders, keys } = backup;
  print(json, { name, at, isNew, places, bytes, pets, orders, keys }, () => {
    const copied = places.includes("s3") ? " and to the bucket" : "";
    return `Backed up ${target.database.path} to ${target.backups.directory}${copied}: ${name} (${formatBytes(bytes)}).`;
  });
}

async function backupToFile(
  file: string,
  { force = false, json, cause, at: now = Date.now() }: BackupOptions,
): Promise<void> {
  const target = requireBackups();
  const { path } = target.database;
  const startedAt = performance.now();
  const { bytes } = await writeBackup(file, target, { cause, now, mayReplace: force });
  const seconds = Number(((performance.now() - startedAt) / 1000).toFixed(3));
  print(
    json,
    { path, file, bytes, seconds },
    () => `Backed up ${path} to ${file} (${formatBytes(bytes)}, ${seconds.toFixed(1)} s).`,
  );
}

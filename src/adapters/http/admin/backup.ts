import { z } from "zod";
import type { Action, Entry } from "../../../domain/audit/entry.ts";
import { causes } from "../../../domain/backups/backup.ts";
import { type Place, places, type StoredBackup } from "../../../domain/backups/location.ts";
import type { BackupJob as Job } from "../../../domain/backups/service.ts";
import { PetstoreError } from "../../../domain/errors.ts";
import { count, timestamp } from "./fields.ts";
import type { Services } from "./operations/operation.ts";
import { authorOf, type OperatorContext } from "./request-context.ts";

const exampleName = "petstore-production-2026-12-02T10-00-00.250Z.db";

const countOrNull = z
  .int()
  .min(0)
  .nullable()
  .meta({ type: ["integer", "null"], minimum: 0 });

const place = z.enum(places).meta({ description: "The directory of backups, or the bucket that has copies." });
const name = z.string().meta({ examples: [exampleName] });

/** A backup in a path. Text that cannot name one raises the error that an unknown one raises. */
const part = <T>(schema: z.ZodType<T>) =>
  z.string().transform((text) => {
    const { success, data } = schema.safeParse(text);
    if (success) return data;
    throw new PetstoreError("backup_not_found");
  });

export const BackupPath = z.object({
  place: part(place).meta({ type: "string", enum: places, description: "The place, as the list has it." }),
  name: part(z.string().regex(/^[\w.-]{1,100}$/)).meta({
    type: "string",
    description: "The name, as the list has it.",
    examples: [exampleName],
  }),
});

const Backup = z
  .strictObject({
    place,
    name,
    createdAt: timestamp,
    bytes: count,
    cause: z
      .enum(causes)
      .nullable()
      .meta({ description: "Who asked for it. Old backups of the schedule are deleted, others stay." }),
    pets: countOrNull,
    orders: countOrNull,
    keys: countOrNull,
    schema: countOrNull.meta({ description: "The version of the database schema." }),
    verifiedAt: timestamp.nullable().meta({ description: "When it was last checked; null if it never was." }),
    problem: z.string().nullable().meta({ description: "What the last check found; null if nothing was wrong." }),
  })
  .meta({
    id: "Backup",
    description: "A copy of the database. Without a description beside it, little is known of it.",
  });

const kind = z.enum(["backup", "verification"]);

export const BackupJob = z
  .strictObject({ kind, name: name.nullable(), place: place.nullable(), startedAt: timestamp })
  .meta({
    id: "BackupJob",
    description: "A backup, or the verification of one, that is under way.",
    examples: [{ kind: "backup", name: null, place: null, startedAt: "2026-12-02T10:00:00.250Z" }],
  });

export const Backups = z
  .strictObject({
    isAvailable: z
      .boolean()
      .meta({ description: "false on PostgreSQL, which has tools of its own, and for a database in memory." }),
    directory: z.string().nullable(),
    bucket: z
      .string()
      .nullable()
      .meta({ description: "The bucket that gets copies, and the beginning of their keys." }),
    everySeconds: countOrNull.meta({ description: "The interval of the schedule; null without one." }),
    keep: countOrNull.meta({ description: "How many backups of the schedule are kept in each place." }),
    nextAt: timestamp.nullable().meta({ description: "When the schedule makes the next one." }),
    job: BackupJob.nullable().meta({ description: "What is under way." }),
    failure: z
      .strictObject({ kind, at: timestamp, reason: z.string() })
      .nullable()
      .meta({ description: "The last job that could not be done; null once one of its kind has succeeded." }),
    backups: z.array(Backup).meta({ description: "Newest first." }),
    unreachable: z
      .array(z.strictObject({ place, reason: z.string() }))
      .meta({ description: "The places whose backups are missing in the list, because they cannot be read." }),
  })
  .meta({
    id: "Backups",
    description: "The backups of the service.",
    examples: [
      {
        isAvailable: true,
        directory: "/var/lib/petstore/backups",
        bucket: "s3://my-backups/petstore/",
        everySeconds: 86_400,
        keep: 7,
        nextAt: "2026-12-03T10:00:00.250Z",
        job: null,
        failure: null,
        backups: [
          {
            place: "directory",
            name: exampleName,
            createdAt: "2026-12-02T10:00:00.250Z",
            bytes: 405_504,
            cause: "schedule",
            pets: 1200,
            orders: 80,
            keys: 12,
            schema: 15,
            verifiedAt: "2026-12-02T10:00:00.250Z",
            problem: null,
          },
        ],
        unreachable: [],
      },
    ],
  });

/** A backup as the list has it. */
export function backupJson(of: Place, { name: its, at, bytes, description }: StoredBackup): z.input<typeof Backup> {
  const { cause = null, pets = null, orders = null, keys = null, schema = null, problem = null } = description ?? {};
  const verifiedAt = description === undefined ? null : iso(description.verifiedAt);
  return { place: of, name: its, createdAt: iso(at), bytes, cause, pets, orders, keys, schema, verifiedAt, problem };
}

export function jobJson({ startedAt, ...job }: Job): z.input<typeof BackupJob> {
  return { ...job, startedAt: iso(startedAt) };
}

export function iso(time: number): string {
  return new Date(time).toISOString();
}

/** @throws invalid_state if the service has no backups */
export function requireBackups({ backups }: Services) {
  if (backups !== undefined) return backups;
  throw new PetstoreError("invalid_state", {
    message: "This service makes no backups: they are for a SQLite database in a file. pg_dump backs up PostgreSQL.",
  });
}

/** The entry of what an operator did with a backup. */
export function backupEntry(
  context: OperatorContext,
  action: Action,
  at: number,
  of?: { place: Place; name: string },
): Entry {
  return { ...authorOf(context), at, action, ...(of && { target: of.name, after: { place: of.place } }) };
}

import { z } from "zod";
import type { Action } from "../../../../domain/audit.ts";
import {
  type BackupPlace,
  type BackupService,
  backupJson,
  causes,
  type BackupJob as Job,
  places,
  type RecordBackup,
  SQLITE_HEADER,
} from "../../../../domain/backups.ts";
import { invalidState, messageOf } from "../../../../domain/errors.ts";
import { reference } from "../../../../domain/schemas.ts";
import { timestampOf } from "../../../../domain/time.ts";
import { authorOf } from "../../operation.ts";
import { count, text, timestamp } from "../../parameters.ts";
import { json, noContent } from "../../request.ts";
import { countOrNull, pathPart } from "../fields.ts";
import { bytesOf, paced, streamed } from "../files.ts";
import { type OperatorContext, type OperatorServices, operation } from "./operation.ts";

const exampleName = "petstore-production-2026-12-02T10-00-00.250Z.db";

const place = z
  .enum(places)
  .meta({ id: "BackupPlace", description: "The directory of backups, or the bucket that has copies." });

const MAX_NAME_LENGTH = 100;
const name = text(MAX_NAME_LENGTH).meta({ examples: [exampleName] });

const BackupPath = z.object({
  place: pathPart(place, "backup_not_found").meta({
    type: "string",
    enum: places,
    description: "The place, as the list has it.",
  }),
  name: pathPart(z.string().regex(new RegExp(`^[\\w.-]{1,${MAX_NAME_LENGTH}}$`)), "backup_not_found").meta({
    type: "string",
    maxLength: MAX_NAME_LENGTH,
    description: "The name, as the list has it.",
    examples: [exampleName],
  }),
});

const exampleBackup = {
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
  problem: "The file is damaged.",
};

const Backup = z
  .strictObject({
    place,
    name,
    createdAt: timestamp,
    bytes: count,
    cause: reference(z.enum(causes).meta({ id: "BackupCause", description: "Who asked for a backup." }))
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
    examples: [exampleBackup],
  });

const kind = z.enum(["backup", "verification", "restoration", "upload"]);

const exampleJob = {
  kind: "verification",
  name: exampleName,
  place: "directory",
  startedAt: "2026-12-02T10:00:00.250Z",
};

const BackupJob = z
  .strictObject({ kind, name: name.nullable(), place: reference(place).nullable(), startedAt: timestamp })
  .meta({
    id: "BackupJob",
    description: "A backup that is under way, or the verification, the restoration or the upload of one.",
    examples: [exampleJob],
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
    restored: z
      .strictObject({ name, path: z.string(), at: timestamp })
      .nullable()
      .meta({ description: "The last backup that was restored into a new file since the start, and that file." }),
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
        job: exampleJob,
        failure: { kind: "backup", at: "2026-12-01T10:00:00.250Z", reason: "The disk is full." },
        restored: {
          name: exampleName,
          path: `/var/lib/petstore/restored-${exampleName}`,
          at: "2026-12-02T10:00:00.250Z",
        },
        backups: [exampleBackup],
        unreachable: [],
      },
    ],
  });

function jobJson({ startedAt, ...job }: Job): z.input<typeof BackupJob> {
  return { ...job, startedAt: timestampOf(startedAt) };
}

/** @throws invalid_state if the service has no backups */
function requireBackups({ backups }: OperatorServices) {
  if (backups !== undefined) return backups;
  throw invalidState(
    "This service makes no backups: they are for a SQLite database in a file. pg_dump backs up PostgreSQL.",
  );
}

/** Adds the entry of what is about to be done. */
const recording =
  (
    { audit, clock }: OperatorServices,
    context: OperatorContext,
    action: Action,
    of?: { place: BackupPlace; name: string },
  ): RecordBackup =>
  () =>
    audit.append({
      ...authorOf(context),
      at: clock(),
      action,
      ...(of && { target: of.name, after: { place: of.place } }),
    });

export const listBackups = operation({
  id: "listBackups",
  route: "GET /backups",
  role: "admin",
  summary: "List backups",
  description: "Returns the backups in the directory and in the bucket, the schedule, and what is under way.",
  answers: { 200: { description: "The backups.", schema: Backups } },
  handle: async ({ backups }, { context }) => json(context, 200, await stateOf(backups)),
});

async function stateOf(service: BackupService | undefined) {
  const { config, bucket, nextAt, job, failure, restored }: Partial<BackupService> = service ?? {};
  const listed = service === undefined ? [] : await Promise.all(places.map((place) => listedIn(service, place)));
  return {
    isAvailable: service !== undefined,
    directory: config?.directory ?? null,
    bucket: bucket ?? null,
    everySeconds: config?.every === undefined ? null : config.every / 1000,
    keep: config?.every === undefined ? null : config.keep,
    nextAt: nextAt === undefined ? null : timestampOf(nextAt),
    job: job === undefined ? null : jobJson(job),
    failure: failure === undefined ? null : { ...failure, at: timestampOf(failure.at) },
    restored: restored === undefined ? null : { ...restored, at: timestampOf(restored.at) },
    backups: listed.flatMap(({ found }) => found).sort((a, b) => b.createdAt.localeCompare(a.createdAt)),
    unreachable: listed.flatMap(({ reason, place }) => (reason === undefined ? [] : [{ place, reason }])),
  };
}

async function listedIn(service: BackupService, place: BackupPlace) {
  try {
    const stored = await service.list(place);
    return { place, found: stored.map((backup) => backupJson(place, backup)), reason: undefined };
  } catch (error) {
    return { place, found: [], reason: messageOf(error) };
  }
}

export const createBackup = operation({
  id: "createBackup",
  route: "POST /backups",
  role: "admin",
  summary: "Back up now",
  description: `Begins a backup, and does not wait for it: \`GET /backups\` shows when it has ended, or why it failed. It is
checked, copied to the bucket if there is one, and stays until you delete its file.`,
  answers: { 202: { description: "The backup is under way.", schema: BackupJob } },
  refusals: ["invalid_state"],
  handle: async (services, { context }) => {
    const job = await requireBackups(services).start(recording(services, context, "backup.create"));
    return json(context, 202, jobJson(job));
  },
});

/** An operation that begins to do something with a backup, and does not wait for it. */
const jobOn = (verb: "verify" | "restore", summary: string, description: string, answer: string) =>
  operation({
    id: `${verb}Backup`,
    route: `POST /backups/{place}/{name}/${verb}`,
    role: "admin",
    summary,
    description,
    request: { params: BackupPath },
    answers: { 202: { description: answer, schema: BackupJob } },
    refusals: ["backup_not_found", "invalid_state"],
    handle: async (services, { params, context }) => {
      const record = recording(services, context, `backup.${verb}`, params);
      const job = await requireBackups(services)[verb](params.place, params.name, record);
      return json(context, 202, jobJson(job));
    },
  });

export const verifyBackup = jobOn(
  "verify",
  "Verify a backup",
  `Begins to read a whole backup and to look for damage, and does not wait for it: \`verifiedAt\` and \`problem\` in
\`GET /backups\` have the result. One in the bucket is downloaded.`,
  "The verification is under way.",
);

export const restoreBackup = jobOn(
  "restore",
  "Restore a backup into a new file",
  `Begins to restore a backup into a new file beside the database, and does not wait for it: \`restored\` in
\`GET /backups\` has its path. The database stays as it is: to replace it, stop the service and run \`petstore database restore\`.`,
  "The restoration is under way.",
);

export const deleteBackup = operation({
  id: "deleteBackup",
  route: "DELETE /backups/{place}/{name}",
  role: "admin",
  summary: "Delete a backup",
  description: "Deletes a backup with its description, in this place alone.",
  request: { params: BackupPath },
  answers: { 204: { description: "Deleted." } },
  refusals: ["backup_not_found", "invalid_state"],
  handle: async (services, { params, context }) => {
    const record = recording(services, context, "backup.delete", params);
    await requireBackups(services).remove(params.place, params.name, record);
    return noContent(context);
  },
});

const TYPE = "application/vnd.sqlite3";

export const uploadBackup = operation({
  id: "uploadBackup",
  route: "POST /backups/upload",
  role: "admin",
  summary: "Upload a backup",
  description: `Takes a backup, such as a download, into the directory. It is listed once it was read and found intact. It may be as
large as the disk has room for.`,
  request: {
    query: z.object({
      name: z.string({ error: "is required" }).meta({
        maxLength: MAX_NAME_LENGTH,
        description: "The name that it had, with its deployment and its time.",
        examples: [exampleName],
      }),
    }),
    types: [TYPE],
    examples: { [TYPE]: SQLITE_HEADER },
  },
  answers: { 201: { description: "The backup.", schema: Backup } },
  refusals: ["validation_failed", "payload_too_large", "unsupported_media_type", "invalid_state"],
  handle: async (services, { query, context }) => {
    const backups = requireBackups(services);
    const record = recording(services, context, "backup.upload", { place: "directory", name: query.name });
    const stored = await backups.upload(query.name, bytesOf(context.request, TYPE), record);
    return json(context, 201, backupJson("directory", stored));
  },
});

export const downloadBackup = operation({
  id: "downloadBackup",
  route: "GET /backups/{place}/{name}",
  role: "admin",
  summary: "Download a backup",
  description:
    "Returns the file, which `petstore database restore` takes. It contains all pets, and the hashes of keys.",
  request: { params: BackupPath },
  answers: { 200: { description: "The file, a SQLite database.", types: [TYPE], examples: { [TYPE]: SQLITE_HEADER } } },
  refusals: ["backup_not_found", "invalid_state"],
  handle: async (services, { params, context }) => {
    const { place, name } = params;
    const { bytes, chunks } = await requireBackups(services).open(place, name);
    await recording(services, context, "backup.download", params)();
    const headers = {
      ...context.headers,
      "Content-Type": TYPE,
      "Content-Length": String(bytes),
      "Content-Disposition": `attachment; filename="${name}"`,
    };
    return { status: 200, headers, body: streamed(paced(chunks)) };
  },
});

import { type Place, places } from "../../../../domain/backups/location.ts";
import type { BackupService } from "../../../../domain/backups/service.ts";
import { Backups, backupJson, iso, jobJson } from "../backup.ts";
import { json } from "../request-context.ts";
import { operation } from "./operation.ts";

/** GET /backups */
export const listBackups = operation({
  id: "listBackups",
  method: "get",
  path: "/backups",
  role: "admin",
  tag: "backups",
  summary: "List backups",
  description: "Returns the backups in the directory and in the bucket, the schedule, and what is under way.",
  answers: { 200: { description: "The backups.", schema: Backups } },
  handle:
    ({ backups }) =>
    async ({ context }) =>
      json(context, 200, backups === undefined ? none : await stateOf(backups)),
});

const none = {
  ...{ isAvailable: false, directory: null, bucket: null, everySeconds: null, keep: null, nextAt: null },
  ...{ job: null, failure: null, backups: [], unreachable: [] },
};

async function stateOf(service: BackupService) {
  const { config, bucket, nextAt, job, failure } = service;
  const listed = await Promise.all(places.map((place) => listedIn(service, place)));
  return {
    isAvailable: true,
    directory: config.directory,
    bucket: bucket ?? null,
    everySeconds: config.every === undefined ? null : config.every / 1000,
    keep: config.every === undefined ? null : config.keep,
    nextAt: nextAt === undefined ? null : iso(nextAt),
    job: job === undefined ? null : jobJson(job),
    failure: failure === undefined ? null : { ...failure, at: iso(failure.at) },
    backups: listed.flatMap(({ found }) => found).sort((a, b) => b.createdAt.localeCompare(a.createdAt)),
    unreachable: listed.flatMap(({ reason, place }) => (reason === undefined ? [] : [{ place, reason }])),
  };
}

async function listedIn(service: BackupService, place: Place) {
  try {
    const stored = await service.list(place);
    return { place, found: stored.map((backup) => backupJson(place, backup)), reason: undefined };
  } catch (error) {
    return { place, found: [], reason: error instanceof Error ? error.message : String(error) };
  }
}

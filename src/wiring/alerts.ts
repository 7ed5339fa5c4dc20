import { dirname } from "node:path";
import { diskOf } from "../adapters/backups/directory.ts";
import { IN_MEMORY } from "../adapters/sqlite/errors.ts";
import { type Alert, failsOften, isNearlyFull, MAX_OPEN, type NewAlert } from "../domain/alerts.ts";
import type { Clock } from "../domain/time.ts";
import { lastOf, TOTAL } from "../domain/usage/counting.ts";
import { pointsOf } from "../domain/usage/reading.ts";
import type { BackgroundTask } from "./background-tasks.ts";
import type { Backups } from "./backups/backups.ts";
import type { DatabaseConfig } from "./config.ts";
import type { Stores } from "./stores.ts";

/** In ms. */
const INTERVAL = 3_000;
/** Bans of a key that follow each other within this time, in ms, are one alert. */
const BAN_QUIET = 900_000;
/** In how many minutes the share of failed requests is counted. */
const MINUTES = 5;

type AlertOptions = {
  stores: Pick<Stores, "keys" | "usage" | "webhooks" | "alerts">;
  damage: { isDamaged: boolean };
  backups: Pick<Backups, "config" | "isFailing" | "damaged"> | undefined;
  database: DatabaseConfig;
  clock: Clock;
};

/** What this process knows of the subject of an alert: an alert is due, or over; or undefined, which changes nothing. */
type Finding = NewAlert & { isDue: boolean | undefined };

/**
 * Raises alerts and ends them. What they are about is read from the store that nodes share, or concerns a file that one process has:
 * so of several nodes that find the same, one raises the alert.
 */
export function alertTask(options: AlertOptions): BackgroundTask {
  const { stores, clock } = options;
  return {
    name: "raise_alerts",
    every: INTERVAL,
    run: async (signal) => {
      if (signal.aborted) return;
      const now = clock();
      const alerts = stores.alerts();
      const open = await alerts.open();
      const findings = (await Promise.all(finders.map((find) => find(options, now, open)))).flat();
      const isOf = (alert: NewAlert) => (other: NewAlert) =>
        alert.type === other.type && alert.subject === other.subject;
      const raised = findings.filter((found) => found.isDue && !open.some(isOf(found)));
      const ended = open.filter((alert) => findings.find(isOf(alert))?.isDue === false).map(({ id }) => id);
      if (raised.length + ended.length > 0) await alerts.change(withinMost(raised, open), ended, now);
    },
  };
}

/** Of each type those for which there is room. */
function withinMost(raised: NewAlert[], open: Alert[]): NewAlert[] {
  const byType = Map.groupBy(raised, ({ type }) => type);
  return [...byType].flatMap(([type, some]) =>
    some.slice(0, Math.max(0, MAX_OPEN - open.filter((alert) => alert.type === type).length)),
  );
}

type Find = (options: AlertOptions, now: number, open: Alert[]) => Finding[] | Promise<Finding[]>;

/** Finds the open alerts of a type to be over, but for those that are due; none of them if there may be more that are due. */
function listed(due: NewAlert[], type: NewAlert["type"], open: Alert[], isComplete: boolean): Finding[] {
  const over = open.filter((alert) => alert.type === type && !due.some(({ subject }) => subject === alert.subject));
  return [
    ...due.map((alert) => ({ ...alert, isDue: true })),
    ...(isComplete ? over.map((alert) => ({ ...alert, isDue: false })) : []),
  ];
}

const bannedKeys: Find = async ({ stores }, now, open) => {
  const found = await stores.keys.list({ state: ["banned"], order: "newest", limit: MAX_OPEN }, now - BAN_QUIET);
  const type = "alert.key_banned";
  const due = found.map(
    ({ key: { id } }) =>
      ({
        type,
        subject: `keys/${id}`,
        message: `The key ${id} was banned: its client kept sending requests after refusals.`,
      }) as const,
  );
  return listed(due, type, open, found.length < MAX_OPEN);
};

const disabledWebhooks: Find = async ({ stores }, _, open) => {
  const type = "alert.webhook_disabled";
  const due = (await stores.webhooks().list()).flatMap(({ id, url, disabled }) => {
    if (disabled?.by !== "service") return [];
    const message = `The service has disabled the webhook endpoint ${id} (${new URL(url).host}).`;
    return [{ type, subject: `webhooks/${id}`, message } as const];
  });
  return listed(due, type, open, true);
};

const failedRequests: Find = async ({ stores }, now) => {
  const minutes = lastOf("minute", MINUTES, now);
  const points = pointsOf(minutes, await stores.usage.usageOf(TOTAL, { minute: minutes }));
  const requests = points.reduce((sum, point) => sum + point.requests, 0);
  const failed = points.reduce((sum, point) => sum + point.byClass["5xx"], 0);
  const message = `${failed} of ${requests} requests in ${MINUTES} minutes were answered with a status of 500 or more.`;
  return [{ type: "alert.error_rate", subject: "requests", message, isDue: failsOften({ requests, failed }) }];
};

const failedBackup: Find = ({ backups }) => {
  if (backups === undefined) return [];
  const message = "The last backup failed.";
  return [{ type: "alert.backup_failed", subject: "backups", message, isDue: backups.isFailing }];
};

const damagedFiles: Find = ({ damage, backups }, _, open) => {
  const type = "alert.file_damaged";
  const due: NewAlert[] = [...(backups?.damaged ?? [])].map((name) => ({
    type,
    subject: `backups/${name}`,
    message: `The backup ${name} is damaged.`,
  }));
  if (damage.isDamaged) due.push({ type, subject: "database", message: "The file of the database is damaged." });
  // Another start knows nothing of what was found before.
  const repaired = open.filter(({ acknowledged }) => acknowledged !== undefined);
  return listed(due, type, repaired, true);
};

const fullDisks: Find = async ({ database, backups }) => {
  if (database.engine !== "sqlite" || database.path === IN_MEMORY) return [];
  const ofDatabase = await diskOf(dirname(database.path));
  const ofBackups = backups && (await diskOf(backups.config.directory));
  const isOther = ofBackups?.device !== ofDatabase?.device;
  const disks = { database: ofDatabase, ...(isOther && { backups: ofBackups }) };
  return Object.entries(disks).flatMap(([name, disk]) => {
    if (disk === undefined) return [];
    const message = `The disk of the ${name} has ${Math.floor(disk.free / 1_000_000)} MB free of ${Math.floor(disk.size / 1_000_000)} MB.`;
    return [{ type: "alert.disk_full", subject: `disks/${name}`, message, isDue: isNearlyFull(disk) }];
  });
};

const finders: Find[] = [bannedKeys, disabledWebhooks, failedRequests, failedBackup, damagedFiles, fullDisks];

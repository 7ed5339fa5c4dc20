import type { NewAuditEntry } from "./audit.ts";
import type { Awaitable } from "./awaitable.ts";
import { PetstoreError } from "./errors.ts";
import { timestampOf } from "./time.ts";

/** What an operator does about an alert of each type. */
const remedies = {
  "alert.key_banned":
    "Its client goes on after refusals. Ask its owner to wait as Retry-After says, or give the key a larger plan. The ban ends by itself; you can lift it on the key's page.",
  "alert.backup_failed":
    "The page Backups and the log have the reason. The service tries again every 5 minutes, or at the interval of the schedule if that is shorter.",
  "alert.file_damaged":
    "Run `petstore database check`, or verify the backup. Stop the service and restore an intact backup with `petstore database restore`. Acknowledge this alert once that is done.",
  "alert.disk_full": "Delete what is not needed, or enlarge the disk. Writes are refused once it is full.",
  "alert.error_rate":
    "The page Requests lists the failed requests, and the log has their causes by request id. Look at the database, Redis and the disk first.",
  "alert.webhook_disabled":
    "Repair the receiver, then enable the endpoint on its page: it goes on after the last event that was delivered.",
} as const;
export type AlertType = keyof typeof remedies;
export const alertTypes = Object.keys(remedies) as [AlertType, ...AlertType[]];

/**
 * What operators should look at. `subject` is what it is about, such as `keys/key_…`; `message` what was observed. Neither has
 * a secret, a URL or a text of a client.
 */
export type NewAlert = { type: AlertType; subject: string; message: string };

/** Of each type and subject at most one is open. Times are Unix ms. */
export type Alert = NewAlert & {
  id: number;
  raisedAt: number;
  endedAt?: number | undefined;
  acknowledged?: { at: number; by: string } | undefined;
};

/** An alert that was raised or ended, as webhooks get it. `id` increases with each of these. */
export type AlertMessage = Pick<Alert, "type" | "subject"> & { id: number; at: number; alert: Alert };

export const alertStates = ["open", "acknowledged", "ended"] as const;
export type AlertState = (typeof alertStates)[number];

/** At most `limit` alerts with ids below `before`, newest first. */
export type AlertsPage = { limit: number; before?: number | undefined; state?: AlertState | undefined };

/** How many alerts that have ended are kept, and how many of a type may be open. */
export const KEPT_ALERTS = 1_000;
export const MAX_OPEN = 50;

/** Stores alerts. Every method throws service_unavailable when the store cannot be reached. */
export interface AlertStore {
  list(page: AlertsPage): Awaitable<Alert[]>;
  /** All that have not ended. */
  open(): Awaitable<Alert[]>;
  /** Raises alerts unless they are open, and ends others by their ids unless they have ended. Of several processes one does each. */
  change(raised: NewAlert[], ended: number[], now: number): Promise<void>;
  /** Returns the alert, also if it was acknowledged before; undefined if there is none. */
  acknowledge(id: number, entry: NewAuditEntry): Promise<Alert | undefined>;
  /** What was raised or ended after a position, ascending. What was raised and has ended comes once. */
  messages(page: { after: bigint; limit: number }): Awaitable<AlertMessage[]>;
  /** The position of the newest message; 0 without any. */
  newest(): Awaitable<bigint>;
}

export function alertStateOf({ endedAt, acknowledged }: Alert): AlertState {
  if (endedAt !== undefined) return "ended";
  return acknowledged === undefined ? "open" : "acknowledged";
}

export function alertJson(alert: Alert) {
  const { id, type, subject, message, raisedAt, endedAt, acknowledged } = alert;
  return {
    id,
    type,
    subject,
    state: alertStateOf(alert),
    message,
    remedy: remedies[type],
    raisedAt: timestampOf(raisedAt),
    endedAt: timestampOf(endedAt),
    acknowledgedAt: timestampOf(acknowledged?.at),
    acknowledgedBy: acknowledged?.by ?? null,
  };
}

export function alertNotFound(id: number | string): PetstoreError {
  return new PetstoreError("alert_not_found", id === "" ? {} : { message: `There is no alert ${id}.` });
}

/** The share of failed requests at which an alert is raised, and below which it ends; of so many failures at least. */
const RAISED_SHARE = 0.01;
const ENDED_SHARE = 0.005;
const LEAST_FAILURES = 10;

/** Whether so many of the requests failed; undefined in between, where an alert neither is raised nor ends. */
export function failsOften({ requests, failed }: { requests: number; failed: number }): boolean | undefined {
  const share = requests === 0 ? 0 : failed / requests;
  if (share >= RAISED_SHARE && failed >= LEAST_FAILURES) return true;
  return share < ENDED_SHARE ? false : undefined;
}

/** The share of a disk that is to be free, and the bytes that suffice. */
const FREE_SHARE = 0.05;
const ENOUGH = 1_000_000_000;

/** Of a disk with less free it is nearly full. In bytes. */
export function leastFree({ size }: { size: number }): number {
  return Math.min(size * FREE_SHARE, ENOUGH);
}

/** Whether a disk is nearly full; undefined until twice the least is free again. Sizes are in bytes. */
export function isNearlyFull({ free, size }: { free: number; size: number }): boolean | undefined {
  const least = leastFree({ size });
  if (free < least) return true;
  return free >= 2 * least ? false : undefined;
}

import type { Awaitable } from "./awaitable.ts";
import { toJson } from "./json.ts";
import { timestampOf } from "./time.ts";

/** Who makes a change: an operator, or something without an id, such as the command line. `requestId`: the HTTP request. */
export type Author = { operator: Actor; requestId?: string };

/** The name of an author in the log. It stays when the operator is revoked. */
type Actor = { id?: string; name: string };

/** What each action says that its author did. */
export const actionLabels = {
  "key.create": "created the key",
  "key.update": "changed the key",
  "key.rotate": "rotated the key",
  "key.grace.end": "ended the grace period of the key",
  "key.disable": "disabled the key",
  "key.enable": "enabled the key",
  "key.revoke": "revoked the key",
  "key.unban": "unbanned the key",
  "key.simulate": "started a rehearsal of the key",
  "key.simulation.end": "ended the rehearsal of the key",
  "operator.create": "created the operator",
  "operator.update": "changed the operator",
  "operator.revoke": "revoked the operator",
  "session.create": "signed in",
  "session.fail": "failed to sign in",
  "session.end": "signed out",
  "pet.create": "added the pet",
  "pet.update": "changed the pet",
  "pet.delete": "removed the pet",
  "pets.import": "imported pets",
  "categories.import": "imported categories",
  "category.create": "created the category",
  "category.update": "renamed the category",
  "category.delete": "removed the category",
  "order.place": "placed the order",
  "order.update": "changed the order",
  "shop.replace": "replaced all pets, categories and orders",
  "webhook.create": "created the webhook endpoint",
  "webhook.update": "changed the webhook endpoint",
  "webhook.rotate": "rotated the secret of the webhook endpoint",
  "webhook.enable": "enabled the webhook endpoint",
  "webhook.disable": "disabled the webhook endpoint",
  "webhook.delete": "removed the webhook endpoint",
  "webhook.test": "sent a test event to the webhook endpoint",
  "webhook.redeliver": "redelivered events to the webhook endpoint",
  "alert.acknowledge": "acknowledged the alert",
  "backup.create": "began a backup",
  "backup.verify": "began to verify the backup",
  "backup.download": "downloaded the backup",
  "backup.upload": "uploaded the backup",
  "backup.restore": "began to restore the backup into a new file",
  "backup.delete": "began to delete the backup",
  "retention.delete": "began to delete old rows of",
} as const;
export type Action = keyof typeof actionLabels;
export const actions = Object.keys(actionLabels) as [Action, ...Action[]];

/**
 * One change at `at` (Unix ms). `target` is the id of what changed, if it has one; `before` and `after` are its states as
 * JSON values, without secrets.
 */
export type NewAuditEntry = Author & { at: number; action: Action; target?: string; before?: unknown; after?: unknown };

/** An import is abandoned if it did nothing for so long, in ms: its process was killed, or its file does not go on. */
export const IMPORT_PAUSE = 300_000;

/**
 * Who makes a change at `now` (Unix ms), and by which request of a client. The change of an author has an entry in the log.
 */
export type Authored = { now: number; by?: Author | undefined; requestId?: string | undefined };

/**
 * A change of what has an id, with its states before and after. There is none before a creation, and none after a removal.
 * `json` gives a state for the log.
 */
export type Change<T extends { id: number | bigint }> = {
  action: Action;
  json: (state: T) => object;
  before?: T | undefined;
  after?: T | undefined;
  /** The version of a removal, unless it is the next one. */
  version?: number | undefined;
};

/** An entry in the log. Ids are positive and increasing. */
export type RecordedEntry = NewAuditEntry & { id: number };

/** Makes the entry of a change that an author made at `at` (Unix ms). */
export function entryOf<T extends { id: number | bigint }>(
  { action, json, before, after }: Change<T>,
  author: Author,
  at: number,
): NewAuditEntry {
  const changed = after ?? before;
  return {
    ...author,
    at,
    action,
    ...(changed && { target: String(changed.id) }),
    ...(before && { before: json(before) }),
    ...(after && { after: json(after) }),
  };
}

/**
 * Which entries of the log: all that match every given field. `operator` is an id, or the exact name of an author; `action`
 * lists the actions of which an entry has one; `from` (inclusive) and `to` (exclusive) are Unix milliseconds.
 */
export type AuditFilter = {
  operator?: string | undefined;
  action?: readonly Action[] | undefined;
  target?: string | undefined;
  from?: number | undefined;
  to?: number | undefined;
};

/** A page of the log, newest first: at most `limit` entries with ids below `before`. */
export type EntriesPage = AuditFilter & { limit: number; before?: number | undefined };

/** The most by which the clocks of two nodes may differ, in ms: filters by time find an entry if its `at` is that exact. */
export const MAX_CLOCK_DIFFERENCE = 3_600_000;

/**
 * The log of changes by operators. It is append-only, but for what a retention deletes. Stores add the entries of changes, each in the transaction of its change.
 * Every method throws service_unavailable when the log cannot be reached.
 */
export interface AuditLog {
  /** Adds an entry that belongs to no other change, that of an import in place of the kept one. It is durable when the promise resolves. */
  append(entry: NewAuditEntry): Promise<void>;
  /** `before` and `after` of the entries are parsed JSON, with integers as bigints. */
  list(page: EntriesPage): Awaitable<RecordedEntry[]>;
  /** Keeps, beside the log, the entry of an import that goes on, in place of that which it had under its target. */
  keepImport(entry: NewAuditEntry): Promise<void>;
  /** Adds the kept entries of abandoned imports, with the time of each as `endedAt`. `now` is in Unix ms. */
  endAbandonedImports(now: number): Promise<void>;
}

export function entryJson({ id, at, operator, action, target, before, after, requestId }: RecordedEntry) {
  return {
    id,
    at: timestampOf(at),
    operator,
    action,
    target: target ?? null,
    before: before ?? null,
    after: after ?? null,
    requestId: requestId ?? null,
  };
}

/** A field that changed. `from` is undefined for one that did not exist before, `to` for one that no longer exists. */
type FieldChange = { field: string; from: unknown; to: unknown };

/** Fields of a new or a removed object that are shown beside its changes. */
const omitted = ["id", "name", "createdAt"];
/** A field that changes with every other one, at the time of the entry. */
const UPDATED = "updatedAt";

/** The fields that differ between two objects; nested ones as `limits.perDay`. */
export function changesBetween(before: unknown, after: unknown): FieldChange[] {
  const from = flatten(before);
  const to = flatten(after);
  return [...new Set([...from.keys(), ...to.keys()])]
    .filter((field) => field !== UPDATED && toJson(from.get(field)) !== toJson(to.get(field)))
    .map((field) => ({ field, from: from.get(field), to: to.get(field) }))
    .filter(({ field, from: was, to: is }) => {
      if (was !== undefined && is !== undefined) return true;
      return (was ?? is ?? null) !== null && !omitted.includes(field);
    });
}

function flatten(value: unknown, prefix = ""): Map<string, unknown> {
  const fields = Object.entries(isObject(value) ? value : {}).flatMap(([name, nested]): [string, unknown][] =>
    isObject(nested) ? [...flatten(nested, `${prefix}${name}.`)] : [[`${prefix}${name}`, nested]],
  );
  return new Map(fields);
}

export function nameOf(state: unknown): string | undefined {
  return isObject(state) && typeof state.name === "string" ? state.name : undefined;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Formats the value of a field for people. Numbers are grouped, except in ids. */
export function formatValue(value: unknown, field = ""): string {
  if (value === undefined || value === null) return "none";
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (Array.isArray(value)) return value.map((item) => formatValue(item, field)).join(", ");
  if (typeof value === "number" || typeof value === "bigint") {
    return field.endsWith("Id") ? String(value) : value.toLocaleString("en");
  }
  return typeof value === "string" ? value : toJson(value);
}

/** Copies an object for the audit log. Its times, whose names end in `At`, become strings (RFC 3339), also within objects. */
export function snapshotOf(value: object): object {
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, readable(name, field)]));
}

function readable(name: string, field: unknown): unknown {
  if (typeof field === "number") return name.endsWith("At") ? new Date(field).toISOString() : field;
  return isObject(field) ? snapshotOf(field) : field;
}

import { SECRET_LIKE } from "./secret.ts";

/** A key's calls of a deprecated operation: their number, and the time (Unix ms) and User-Agent of the last one. */
export type DeprecatedCalls = { calls: number; lastCalledAt: number; userAgent?: string };

/** A key is banned from `since` to `until` (both Unix ms). */
export type BanPeriod = { since: number; until: number };

/** When keys were used and banned, and their calls of deprecated operations. */
export type Activity = {
  /** The time of the last use (Unix ms), by key id. */
  lastUsed: Map<string, number>;
  /** The last ban, by key id. */
  bans: Map<string, BanPeriod>;
  /** By operation, then by key id. */
  deprecated: Map<string, Map<string, DeprecatedCalls>>;
};

export function noActivity(): Activity {
  return { lastUsed: new Map(), bans: new Map(), deprecated: new Map() };
}

/** Adds `more` to `activity`. */
export function merge(activity: Activity, more: Activity): void {
  for (const [id, at] of more.lastUsed) {
    activity.lastUsed.set(id, Math.max(at, activity.lastUsed.get(id) ?? 0));
  }
  for (const [id, ban] of more.bans) {
    if (ban.since >= (activity.bans.get(id)?.since ?? 0)) activity.bans.set(id, ban);
  }
  for (const [operation, byKey] of more.deprecated) {
    for (const [id, calls] of byKey) addCalls(activity, operation, id, calls);
  }
}

/** Adds a key's calls of a deprecated operation. */
export function addCalls({ deprecated }: Activity, operation: string, keyId: string, more: DeprecatedCalls): void {
  const byKey = deprecated.get(operation) ?? new Map<string, DeprecatedCalls>();
  deprecated.set(operation, byKey);
  const sum = byKey.get(keyId);
  if (sum === undefined) {
    byKey.set(keyId, { ...more });
    return;
  }
  sum.calls += more.calls;
  if (more.lastCalledAt < sum.lastCalledAt) return;
  sum.lastCalledAt = more.lastCalledAt;
  if (more.userAgent !== undefined) sum.userAgent = more.userAgent;
}

const MAX_USER_AGENT_LENGTH = 200;

/** Returns the beginning of a User-Agent header, without control characters and anything that looks like a key. */
export function userAgentOf(header: string | null): string | undefined {
  const plain = (header ?? "").toWellFormed().replace(/\p{Cc}/gu, "");
  const text = plain.replace(SECRET_LIKE, "[key]").trim();
  return text === "" ? undefined : text.slice(0, MAX_USER_AGENT_LENGTH).toWellFormed();
}

/** Records what keys do. `now` is in Unix milliseconds. */
export interface ActivityRecorder {
  used(keyId: string, now: number): void;
  banned(keyId: string, ban: BanPeriod): void;
  calledDeprecated(operation: string, keyId: string, now: number, userAgent: string | undefined): void;
}

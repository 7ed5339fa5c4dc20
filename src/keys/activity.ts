/** How often a key called a deprecated operation, and when last (Unix milliseconds). */
export type DeprecatedCalls = { calls: number; lastCalledAt: number };

/** What keys did in some stretch of time. */
export type Activity = {
  /** By key id: when it was last used, Unix milliseconds. */
  lastUsed: Map<string, number>;
  /** By operation, then by key id. */
  deprecated: Map<string, Map<string, DeprecatedCalls>>;
};

export function noActivity(): Activity {
  return { lastUsed: new Map(), deprecated: new Map() };
}

/** Adds what `more` tells to `activity`. */
export function merge(activity: Activity, more: Activity): void {
  for (const [id, at] of more.lastUsed) {
    activity.lastUsed.set(id, Math.max(at, activity.lastUsed.get(id) ?? 0));
  }
  for (const [operation, byKey] of more.deprecated) {
    const known = activity.deprecated.get(operation) ?? new Map<string, DeprecatedCalls>();
    activity.deprecated.set(operation, known);
    for (const [id, { calls, lastCalledAt }] of byKey) {
      const before = known.get(id) ?? { calls: 0, lastCalledAt: 0 };
      known.set(id, {
        calls: before.calls + calls,
        lastCalledAt: Math.max(before.lastCalledAt, lastCalledAt),
      });
    }
  }
}

/** Is told what keys do, as they do it. `now` is in Unix milliseconds. */
export interface ActivityRecorder {
  used(keyId: string, now: number): void;
  calledDeprecated(operation: string, keyId: string, now: number): void;
}

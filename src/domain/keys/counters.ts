import type { Awaitable } from "../awaitable.ts";
import type { LimitState } from "../limits/limit-state.ts";
import type { Activity, DeprecatedCalls } from "./activity.ts";

/**
 * What is kept of the limits' counters and of the keys' activity over a restart.
 * Every method raises service_unavailable when it cannot be reached.
 */
export interface Counters {
  /** The usage of every key that was kept, by key id. */
  load(): Awaitable<Map<string, LimitState>>;
  /** The usage that was kept of one key. */
  usageOf(keyId: string): Awaitable<LimitState | undefined>;
  /** How often one key called each deprecated operation, by operation. */
  deprecatedCallsOf(keyId: string): Awaitable<Map<string, DeprecatedCalls>>;
  /** The same of every key: by operation, then by key id. */
  deprecatedCalls(): Awaitable<Activity["deprecated"]>;
  /** Keeps usages (undefined: to be forgotten), and adds up activity. */
  save(usages: Map<string, LimitState | undefined>, activity: Activity): Promise<void>;
}

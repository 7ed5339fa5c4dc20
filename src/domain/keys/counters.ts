import type { Awaitable } from "../awaitable.ts";
import type { LimitState } from "../limits/limit-state.ts";
import type { Activity, DeprecatedCalls } from "./activity.ts";

/**
 * Stores what is to outlive a restart of the keys' limit states and activity.
 * Every method raises service_unavailable when the store cannot be reached.
 */
export interface Counters {
  /** All limit states, by key id. */
  load(): Awaitable<Map<string, LimitState>>;
  limitStateOf(keyId: string): Awaitable<LimitState | undefined>;
  /** A key's calls of each deprecated operation, by operation. */
  deprecatedCallsOf(keyId: string): Awaitable<Map<string, DeprecatedCalls>>;
  /** The calls of all keys: by operation, then by key id. */
  deprecatedCalls(): Awaitable<Activity["deprecated"]>;
  /** Stores limit states (undefined: removes it), and adds activity to what is stored. */
  save(states: Map<string, LimitState | undefined>, activity: Activity): Promise<void>;
}

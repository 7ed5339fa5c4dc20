import type { Awaitable } from "../awaitable.ts";
import type { LimitState } from "../limits/limit-state.ts";
import type { Activity, DeprecatedCalls } from "./activity.ts";
import type { Caller, CallersPage, CallTotal } from "./callers.ts";

/**
 * Stores the limit states and the activity of keys, so that a restart keeps them.
 * Every method throws service_unavailable when the store cannot be reached.
 */
export interface Counters {
  /** All limit states, by key id. */
  load(): Awaitable<Map<string, LimitState>>;
  limitStateOf(keyId: string): Awaitable<LimitState | undefined>;
  /** A key's calls of deprecated operations, by operation. */
  deprecatedCallsOf(keyId: string): Awaitable<Map<string, DeprecatedCalls>>;
  /** Returns a page of the keys that call deprecated operations. */
  callers(page: CallersPage): Promise<Caller[]>;
  callTotal(operation: string): Promise<CallTotal>;
  /** Stores limit states, or removes those that are undefined, and adds to the stored activity. */
  save(states: Map<string, LimitState | undefined>, activity: Activity): Promise<void>;
}

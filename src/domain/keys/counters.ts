import type { Awaitable } from "../awaitable.ts";
import type { LimitState } from "../limits/limit-state.ts";
import type { ChangedStates, LimitStates } from "../limits/limit-states.ts";
import type { Activity, DeprecatedCalls } from "./activity.ts";
import type { Caller, CallersPage, CallTotal } from "./callers.ts";

/**
 * Stores the limit states and the activity of keys, so that a restart keeps them.
 * Every method throws service_unavailable when the store cannot be reached.
 */
export interface Counters {
  /** Returns all limit states. They are for the process that counts limits, and there is one: it saves what it changes. */
  load(): Awaitable<LimitStates>;
  limitStateOf(keyId: string): Awaitable<LimitState | undefined>;
  /** A key's calls of deprecated operations, by operation. */
  deprecatedCallsOf(keyId: string): Awaitable<Map<string, DeprecatedCalls>>;
  /** Returns a page of the keys that call deprecated operations. */
  callers(page: CallersPage): Promise<Caller[]>;
  callTotal(operation: string): Promise<CallTotal>;
  /** Stores changes of the limit states that `load` returned, and adds to the stored activity. */
  save(changed: ChangedStates, activity: Activity): Promise<void>;
}

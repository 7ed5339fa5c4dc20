import type { Awaitable } from "./awaitable.ts";
import { PetstoreError } from "./errors.ts";

/** Makes a call and returns or throws what it does; records how long it took and whether it failed. */
export type InstrumentedCall = <T>(call: () => Awaitable<T>) => Awaitable<T>;

/** Instruments the calls to stores. A call that returns at once still does. */
export interface Instrumentation {
  /** The instrument for one operation, such as `pets.list`, of one store, such as `sqlite`. Get it once and keep it. */
  of(store: string, operation: string): InstrumentedCall;
}

/** Whether the store failed; a refusal such as pet_not_found is a result. */
export function isFailure(error: unknown): boolean {
  return !(error instanceof PetstoreError) || error.isFailure;
}

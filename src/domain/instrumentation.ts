import { PetstoreError } from "./errors.ts";

/** Makes a call and returns what it returns, errors included; records how long it took and whether it failed. */
export type InstrumentedCall = <T>(call: () => T) => T;

/** Records the calls of the service's dependencies. A call that returns a value instead of a promise still does. */
export interface Instrumentation {
  /** Makes the calls of one operation, such as `pets.list`, of one store, such as `sqlite`. Call it once and keep the result. */
  of(store: string, operation: string): InstrumentedCall;
}

/** Whether a call failed because of a dependency; a refused request is an answer like any other. */
export function isFailure(error: unknown): boolean {
  return !(error instanceof PetstoreError) || error.isFailure;
}

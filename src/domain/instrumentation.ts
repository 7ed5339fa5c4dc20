import { PetstoreError } from "./errors.ts";

/** Makes a call and returns its result or throws its error. Records how long it took and whether it failed. */
export type InstrumentedCall = <T>(call: () => T) => T;

/** Records the calls of the service's dependencies. A synchronous call stays synchronous. */
export interface Instrumentation {
  /** Returns the recorder of one operation, such as `pets.list`, of one store, such as `sqlite`. Call it once per operation. */
  of(store: string, operation: string): InstrumentedCall;
}

/** Whether a call failed because of a dependency. A refused request is not a failure. */
export function isFailure(error: unknown): boolean {
  return !(error instanceof PetstoreError) || error.isFailure;
}

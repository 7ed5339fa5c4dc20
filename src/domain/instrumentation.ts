import type { Awaitable } from "./awaitable.ts";
import { PetstoreError } from "./errors.ts";

/** Makes a call and gives what it gives, errors too; takes note of how long it took and whether it failed. */
export type InstrumentedCall = <T>(call: () => Awaitable<T>) => Awaitable<T>;

/** Watches the calls of what the service stands on. A call that answers at once does so watched as well. */
export interface Instrumentation {
  /** What makes the calls of one operation, such as `pets.list`, of one store, such as `sqlite`. Ask once, keep it. */
  of(store: string, operation: string): InstrumentedCall;
}

/** Whether a call failed for what it stands on; what a request is refused for is an answer like others. */
export function isFailure(error: unknown): boolean {
  return !(error instanceof PetstoreError) || error.isFailure;
}

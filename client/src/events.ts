import type { PetstoreError } from "./errors.ts";

/** An operation of the service, by its name in the OpenAPI document. */
export type Operation = "listPets" | "createPet" | "getPet";

/** A call failed and will be tried again. */
export interface RetryEvent {
  /** What is called. */
  readonly operation: Operation;
  /** Which retry it will be, from 1 on. */
  readonly retry: number;
  /** Milliseconds until then. */
  readonly delay: number;
  /** Why it failed. */
  readonly error: PetstoreError;
}

/** The limits are used up: calls wait for the reset. */
export interface WaitEvent {
  /** Milliseconds until the reset. */
  readonly delay: number;
  /** How many calls wait. */
  readonly calls: number;
}

/** An operation that was called will be removed. */
export interface DeprecationEvent {
  /** What was called. */
  readonly operation: Operation;
  /** Since when it is deprecated (RFC 9745), where the service says so. */
  readonly since: Date | undefined;
  /** When it will be removed (RFC 8594), where the service says so. */
  readonly sunset: Date | undefined;
  /** What to call instead: an address, where the service names one. */
  readonly successor: string | undefined;
}

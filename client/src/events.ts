import type { PetstoreError } from "./errors.ts";
import type { operations } from "./schema.ts";

/** An operation of the service, by its name in the OpenAPI document. */
export type Operation = keyof operations;

/** A call failed, and the client will retry it. */
export interface RetryEvent {
  /** The operation of the call. */
  readonly operation: Operation;
  /** The number of the retry, from 1. */
  readonly retry: number;
  /** Milliseconds until the retry. */
  readonly delay: number;
  /** The error of the last attempt. */
  readonly error: PetstoreError;
}

/** The limits are used up: calls wait for the reset. */
export interface WaitEvent {
  /** Milliseconds until the reset. */
  readonly delay: number;
  /** The number of waiting calls. */
  readonly calls: number;
}

/** A called operation is deprecated. */
export interface DeprecationEvent {
  /** The deprecated operation. */
  readonly operation: Operation;
  /** When the operation was deprecated (RFC 9745), if the service says so. */
  readonly since: Date | undefined;
  /** When the operation will be removed (RFC 8594), if the service says so. */
  readonly sunset: Date | undefined;
  /** The URL to call instead, if the service names one. */
  readonly successor: string | undefined;
}

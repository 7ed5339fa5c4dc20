import type { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { ChangedStates } from "../domain/limits/limit-states.ts";
import type { Limiter, LimitState } from "../domain/limits/limits.ts";

/** The limits of keys, counted in Redis or in this process. */
export type Limiting = {
  limiter: Limiter;
  /** The limiter that counts in this process, if nothing else counts. */
  local: MemoryLimiter | undefined;
  /** How often this process started to count alone because Redis failed, and whether it does so now. */
  fallbacks: { readonly total: number; readonly isActive: boolean };
  /** Returns the changed states to save, so that a restart keeps them; see `MemoryLimiter`. */
  drain(): ChangedStates;
  requeue(places: Iterable<number>): void;
  /** Removes states that have no effect any more. */
  sweep(): void;
  /** Returns the status of a key over all nodes. @throws when it cannot be read */
  status: Limiter["status"];
  /** Resolves when Redis answers, otherwise throws. Undefined without Redis. */
  check: (() => Promise<unknown>) | undefined;
  /** The clock of Redis, in Unix ms. Undefined without Redis. */
  now: (() => Promise<number>) | undefined;
  close(): void;
};

/** Reads the limit states of keys, from Redis or the database. "unknown" while Redis does not answer. */
export type LimitStates = {
  of(keyId: string): Awaitable<LimitState | undefined | "unknown">;
  close(): Awaitable<void>;
};

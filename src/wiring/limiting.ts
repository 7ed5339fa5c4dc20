import type { Awaitable } from "../domain/awaitable.ts";
import type { LimitState } from "../domain/limits/limit-state.ts";
import type { Limiter } from "../domain/limits/limiter.ts";

/** The limits of keys, wherever they are counted. */
export type Limiting = {
  limiter: Limiter;
  /** How often this process began to count alone because Redis did not answer, and whether it does now. */
  fallbacks: { readonly total: number; readonly isActive: boolean };
  /** The states that must be saved to survive a restart; see `MemoryLimiter`. */
  drain(): Map<string, LimitState | undefined>;
  undrain(ids: Iterable<string>): void;
  /** Forgets the states that no longer matter. */
  sweep(): void;
  /** The status of a key for all nodes together. @throws while it cannot be read */
  status: Limiter["status"];
  /** Resolves when Redis answers; undefined where limits are counted in this process. @throws when it does not answer */
  check: (() => Promise<unknown>) | undefined;
  close(): void;
};

/** Reads the limit states of keys, wherever they are counted. */
export type LimitStates = { of(keyId: string): Awaitable<LimitState | undefined>; close(): void };

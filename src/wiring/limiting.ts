import type { Awaitable } from "../domain/awaitable.ts";
import type { LimitState } from "../domain/limits/limit-state.ts";
import type { Limiter } from "../domain/limits/limiter.ts";

/** The limits of keys, wherever they are counted. */
export type Limiting = {
  limiter: Limiter;
  /** How often this process began to count alone while it should not, and whether it does now. */
  fallbacks: { readonly total: number; readonly isActive: boolean };
  /** What is to be written down so that a restart does not forget it; see `MemoryLimiter`. */
  drain(): Map<string, LimitState | undefined>;
  undrain(ids: Iterable<string>): void;
  sweep(): void;
  /** Where a key stands, for all nodes together. @throws while that cannot be had */
  standing: Limiter["status"];
  /** Resolves when what limits are counted in answers, where that is another process. @throws when it does not */
  check: (() => Promise<unknown>) | undefined;
  close(): void;
};

/** What is known of keys' use, wherever it is counted. */
export type LimitStates = { of(keyId: string): Awaitable<LimitState | undefined>; close(): void };

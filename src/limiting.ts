import type { Awaitable } from "./awaitable.ts";
import type { Limiter } from "./limits/limiter.ts";
import type { Usage } from "./limits/usage.ts";

/** The limits of keys, wherever they are counted. */
export type Limiting = {
  limiter: Limiter;
  /** What is to be written down so that a restart does not forget it; see `MemoryLimiter`. */
  drain(): Map<string, Usage | undefined>;
  undrain(ids: Iterable<string>): void;
  sweep(): void;
  /** Where a key stands, for all nodes together. @throws while that cannot be had */
  standing: Limiter["standing"];
  /** Resolves when what limits are counted in answers, where that is another process. @throws when it does not */
  check: (() => Promise<unknown>) | undefined;
  close(): void;
};

/** What is known of keys' use, wherever it is counted. */
export type Usages = { of(keyId: string): Awaitable<Usage | undefined>; close(): void };

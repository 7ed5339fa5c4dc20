import { FallbackLimiter } from "../adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { ChangedStates } from "../domain/limits/limit-states.ts";
import type { Decision, Limiter, LimitState, Subject } from "../domain/limits/limits.ts";
import type { Clock } from "../domain/time.ts";
import type { Log } from "./log.ts";

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

type Shared = Limiter & {
  /** See `FallbackLimiter`. */
  probe(keyId?: string): Promise<unknown>;
};

type Options = {
  /** What counts, for the log. */
  name: string;
  /** Counts at each request, and `shared` for operators: without what observes requests. */
  observed: Limiter;
  shared: Shared;
  /** Refuses what it knows to be used up, before this process counts alone. */
  refusalOf?: ((subject: Subject) => Decision | undefined) | undefined;
  isReply: (error: unknown) => boolean;
  /** How long it may be silent, in ms. */
  patience: number;
  nodes: number;
  clock: Clock;
  log: Log;
};

/** Limits that something else counts for several processes, and this process alone while that fails. */
export function sharedLimiting({ name, observed, shared, refusalOf, isReply, patience, nodes, clock, log }: Options): {
  limiting: Limiting;
  startLocally: (error: unknown) => void;
} {
  const local = new MemoryLimiter(clock);
  const fallbacks = { total: 0, isActive: false };
  const limiter = new FallbackLimiter({
    shared: observed,
    local: {
      take: (subject) => refusalOf?.(subject) ?? local.take(subject),
      status: (subject) => local.status(subject),
    },
    ...{ nodes, isReply, patience },
    probe: (keyId) => shared.probe(keyId),
    onFailure: (error) => {
      fallbacks.total += 1;
      fallbacks.isActive = true;
      log.error({ err: error, nodes }, `${name} fails: this node counts limits alone, for its share`);
    },
    onReturn: (requests, milliseconds) => {
      fallbacks.isActive = false;
      log.info({ requests, milliseconds }, `${name} works again: limits are counted for all nodes together`);
    },
    onKeyFailure: (error, keyId) =>
      log.error(
        { err: error, keyId, nodes },
        `${name} fails for one key: this node counts its limits alone, for its share`,
      ),
  });
  const limiting: Limiting = {
    limiter,
    local: undefined,
    fallbacks,
    // Nothing to save: counts of this process mean nothing to the next one.
    drain: () => ({ ...local.drain(), places: [] }),
    requeue: () => {},
    sweep: () => local.sweep(),
    status: (key) => shared.status(key),
    check: undefined,
    now: undefined,
    close: () => limiter.close(),
  };
  return { limiting, startLocally: (error) => limiter.startLocally(error) };
}

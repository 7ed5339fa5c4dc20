import { FallbackLimiter } from "../adapters/memory/fallback-limiter.ts";
import { MemoryLimiter } from "../adapters/memory/limiter.ts";
import type { Decision, Limiter, Subject } from "../domain/limits/limits.ts";
import type { Clock } from "../domain/time.ts";
import type { Limiting } from "./limiting.ts";
import type { Log } from "./log.ts";

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

import type { Awaitable } from "../awaitable.ts";
import type { KeyHandover, SeenState } from "./fallback-counts.ts";
import type { ChangedStates } from "./limit-states.ts";
import type { Decision, LimitState, LimitStatus, Quotas, Subject } from "./limits.ts";

/** Counts requests in one window of a minute for each name, such as a client address. Its refusals lead to no ban. */
export interface MinuteLimiter {
  /** Allows a request and counts it, or refuses it. */
  take(name: string): Decision;
  /** Returns the quota of a name. It does not count as a request. */
  quotas(name: string): Quotas;
  /** Takes back a request that was counted for a name. */
  refund(name: string): void;
  forget(name: string): void;
}

/**
 * Counts the requests of a key in two windows, and bans keys that keep sending after refusals. The `cost` of a request is how many
 * it counts as, 1 if left out: all are counted in one step, or none. With 0 it is allowed if one more would be.
 */
export interface Limiter {
  /**
   * Does what `take` does for a request that it allows, if it can do so at once. Otherwise returns undefined, and has counted
   * nothing. Undefined if it never can.
   */
  readonly takeAtOnce?: ((subject: Subject, cost?: number) => Decision | undefined) | undefined;
  /** Allows a request and counts it in both windows, or refuses it and counts it in neither. */
  take(subject: Subject, cost?: number): Awaitable<Decision>;
  /** Returns the status of the subject's limits. It does not count as a request. */
  status(subject: Subject): Awaitable<LimitStatus>;
}

/** A server that counts for all nodes. */
export interface LimitServer {
  /** Resolves when it can count. `keyId`: a key on the same server of several. @throws when it cannot, or does not answer */
  probe(keyId?: string): Promise<void>;
  /** Its clock, in Unix ms. @throws when it does not answer */
  now(): Promise<number>;
  /**
   * Why it may remove counts before their time: its eviction policy, or `observed` if it has lost a key. Undefined if nothing
   * says so. It is what `checkEviction` found last.
   */
  readonly eviction: string | undefined;
  /** Finds out anew. What was known of a server that does not answer stays. */
  checkEviction(): Promise<void>;
}

/** How often a process began to count alone, whether it does so now, and the requests that it decided alone. */
export type Fallbacks = { readonly total: number; readonly isActive: boolean; readonly requests: number };

/**
 * A back end of limits: where a process counts the requests of keys. It is this process, Redis, or the parent process with
 * its workers. Its `take` and `status` never fail: what cannot be asked is replaced by a count of this process alone.
 */
export interface LimitBackend extends Limiter {
  /** What this process counts alone because what counts for several fails. */
  readonly fallbacks: Fallbacks;
  /** What counts for all nodes; undefined if nothing does. */
  readonly server: LimitServer | undefined;
  /** Returns the status over all processes that share the limits. @throws when what counts for them does not answer */
  sharedStatus(subject: Subject): Awaitable<LimitStatus>;
  /**
   * Returns the limit states that changed since the last call, to be saved so that a restart keeps them: none if they outlast
   * this process anyway, or mean nothing to the next one. Save them before the next call, or `requeue` them.
   */
  drain(): ChangedStates;
  /** Returns these places from the next `drain` again, because they could not be saved. */
  requeue(places: Iterable<number>): void;
  /** Removes states that have no effect any more. Call it about every minute: it takes about a millisecond. */
  sweep(): void;
  close(): void;
}

/** A limiter that counts for several processes, in another one that may fail. */
export interface SharedLimiter extends Limiter {
  /** The server that it asks, if that counts for all nodes. */
  readonly server: LimitServer | undefined;
  /**
   * `seen`: what this process last saw of the key: the server knows no less from then on.
   * @throws when what counts does not answer, or answers with an error
   */
  take(subject: Subject, cost?: number, seen?: SeenState): Awaitable<Decision>;
  /** @throws as `take` does */
  status(subject: Subject): Awaitable<LimitStatus>;
  /** Adds what was counted elsewhere, once however often it is called. Returns a decision on no request. @throws as `take` does */
  reconcile(handover: KeyHandover): Promise<Decision>;
  /** Has the server know what was seen of a key. @throws as `take` does */
  restore(keyId: string, seen: SeenState): Promise<void>;
  /** `listener` is called when the server knew less of a key than was seen: it may have lost others too. */
  onLoss(listener: () => void): void;
  /** What is known of a key without asking. */
  stateOf(keyId: string): LimitState | undefined;
  /** What fails together with this key: of several servers, the name of the one that has it. */
  shardOf(keyId: string): string;
  /** Does for another key of the same server what `take` does for this key. @throws as `take` does */
  probe(keyId: string): Promise<void>;
  /** Whether an error may be due to the data of a key, because the server has answered. */
  isReply(error: unknown): boolean;
  close(): void;
}

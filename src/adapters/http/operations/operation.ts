import type { Awaitable } from "../../../domain/awaitable.ts";
import type { Clock } from "../../../domain/clock.ts";
import type { Key, Scope } from "../../../domain/keys/key.ts";
import type { Decision, LimitStatus } from "../../../domain/limits/limiter.ts";
import type { PetStore } from "../../../domain/pets/store.ts";
import type { Point } from "../../../domain/usage/point.ts";
import type { Description } from "../description.ts";
import { operationFor } from "../operation.ts";
import type { RequestContext } from "../request-context.ts";

/** What the operations of the public interface work with. */
export type Services = {
  pets: PetStore;
  /** What a key did in the 24 hours up to the one that `now` (Unix ms) is in, oldest first. */
  lastDay: (keyId: string, now: number) => Awaitable<Point[]>;
  clock: Clock;
  /** The base address of this deployment, ending in /v1. */
  baseUrl: string;
};

/** What an operation asks of a key: a scope; a free operation counts in no window and is never refused for one. */
export type Access = { scope?: Scope; isFree?: true };

/** A request to the public interface, with what the checks found so far. */
export type PublicContext = RequestContext<PublicOperation> & {
  key?: Key;
  /** What the limits decided, unless the request was not counted. */
  decision?: Decision;
  /** What the key's windows count, for an operation that is free. */
  limitStatus?: LimitStatus;
};

/** A request whose key is valid. */
export type AdmittedContext = PublicContext & { key: Key };

/** An operation that has its services. */
export interface PublicOperation extends Description, Access {
  handle: (context: AdmittedContext) => Awaitable<Response>;
}

/** Makes an operation of the public interface. */
export const operation = operationFor<Services, AdmittedContext, Access>();

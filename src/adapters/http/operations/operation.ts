import type { Awaitable } from "../../../domain/awaitable.ts";
import type { CategoryStore } from "../../../domain/categories.ts";
import type { RequestKey, Scope } from "../../../domain/keys/key.ts";
import type { Decision, LimitStatus } from "../../../domain/limits/limits.ts";
import type { OrderStore } from "../../../domain/orders.ts";
import type { PetStore } from "../../../domain/pets.ts";
import type { Simulation } from "../../../domain/simulation.ts";
import type { Clock } from "../../../domain/time.ts";
import type { LastDay } from "../../../domain/usage/reading.ts";
import { type Bound, operationFor } from "../operation.ts";
import type { PageCache } from "../page-cache.ts";
import type { RequestContext } from "../request.ts";
import type { Description } from "../routes.ts";

/** The dependencies of the public operations. */
export type Services = {
  pets: PetStore;
  categories: CategoryStore;
  orders: OrderStore;
  /** Returns the usage of a key in the current hour and the 23 before it, oldest first. `now` is Unix ms. */
  lastDay: (keyId: string, now: number) => Awaitable<LastDay>;
  clock: Clock;
  /** The cached pages of all lists. */
  pages: PageCache<PublicOperation>;
  /** The base address of this deployment, ending in /v1. */
  baseUrl: string;
};

/** The scope that an operation needs. A free operation counts in no window, and no limit refuses it. */
export type Access = { scope?: Scope; isFree?: true };

/** A request to the public interface, with the results of the checks so far. */
export type PublicContext = RequestContext<PublicOperation> & {
  key?: RequestKey;
  /** The decision of the limiter, unless the request was not counted. */
  decision?: Decision;
  /** The limit state of the key, for a free operation. */
  limitStatus?: LimitStatus;
  /** What the request rehearses. */
  simulation?: Simulation;
};

/** A request with a valid key. */
export type AdmittedContext = PublicContext & { key: RequestKey };

/** An operation that is bound to the services. */
export interface PublicOperation extends Description, Access, Bound<AdmittedContext> {}

/** Makes an operation of the public interface. */
export const operation = operationFor<Services, AdmittedContext, Access>();

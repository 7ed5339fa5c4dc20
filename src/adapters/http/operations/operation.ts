import type { Author } from "../../../domain/audit.ts";
import type { Awaitable } from "../../../domain/awaitable.ts";
import type { CategoryStore } from "../../../domain/categories.ts";
import type { RequestKey, Scope } from "../../../domain/keys/key.ts";
import type { Decision, LimitStatus } from "../../../domain/limits/limits.ts";
import type { Operator, Role } from "../../../domain/operators.ts";
import type { OrderStore } from "../../../domain/orders.ts";
import type { PetStore } from "../../../domain/pets.ts";
import type { Simulation } from "../../../domain/simulation.ts";
import type { Clock } from "../../../domain/time.ts";
import type { LastDay } from "../../../domain/usage/reading.ts";
import { authorOf, type Bound, operationFor } from "../operation.ts";
import type { PageCache } from "../page-cache.ts";
import type { RequestContext } from "../request.ts";
import type { Description } from "../routes.ts";

type OperationServices = {
  pets: PetStore;
  categories: CategoryStore;
  orders: OrderStore;
  /** Returns the usage of a key in the current hour and the 23 before it, oldest first. `now` is Unix ms. */
  lastDay: (keyId: string, now: number) => Awaitable<LastDay>;
  clock: Clock;
  pages: PageCache<PublicOperation>;
  /** The base address of this deployment, ending in /v1. */
  baseUrl: string;
};

/** The scope that an operation needs. A free operation counts in no window, and no limit refuses it. */
export type Access = { scope?: Scope; isFree?: true };

export type PublicContext = RequestContext<PublicOperation> & {
  key?: RequestKey;
  /** The decision of the limiter, unless the request was not counted. */
  decision?: Decision;
  /** The limit state of the key, for a free operation. */
  limitStatus?: LimitStatus;
  simulation?: Simulation;
};

export type AdmittedContext = PublicContext & { key: RequestKey };

export interface PublicOperation extends Description, Access, Bound<AdmittedContext> {}

export const operation = operationFor<OperationServices, AdmittedContext, Access>();

type SharedServices = Pick<OperationServices, "pets" | "categories" | "orders" | "clock">;

/** A request of a client with a key, or of an operator. */
type SharedContext = RequestContext &
  ({ key: RequestKey; operator?: undefined } | { operator: Operator; key?: undefined });

/** The role that an operator needs, and what the administration interface says otherwise. */
type SecondDoor = {
  role: Role;
  forOperators?: Partial<Pick<Description, "path" | "summary" | "description" | "request">>;
};

/** Makes an operation with two doors: one of the public interface, and one of the administration interface, by its role. */
export const operationWithDoors = operationFor<SharedServices, SharedContext, Access & SecondDoor>();

export type OperationWithDoors = ReturnType<typeof operationWithDoors>;

/** Who sent a request: the id to which its idempotency keys belong, and the author of its changes if it is an operator. */
export function callerOf(context: SharedContext): { id: string; by: Author | undefined } {
  if (context.operator === undefined) return { id: context.key.id, by: undefined };
  return { id: context.operator.id, by: authorOf(context) };
}

/** The client of the Petstore service. */
export type { CallOptions, ChangeOptions, CreateOptions } from "./call-options.ts";
export type { Categories } from "./categories.ts";
export type { Category, CategoryPage, CategoryQuery, NewCategory } from "./category.ts";
export { PetstoreClient } from "./client.ts";
export type { Clock } from "./clock.ts";
export type { CreatePetsOptions, Creation, CreationProgress } from "./create-pets.ts";
export {
  AuthenticationError,
  ConflictError,
  type ConnectionCode,
  ConnectionError,
  type ErrorCode,
  type ErrorDetail,
  type ErrorProperties,
  IdempotencyError,
  NotFoundError,
  PetstoreError,
  PreconditionError,
  RateLimitError,
  RemovedError,
  ScopeError,
  type ServiceCode,
  ServiceError,
  ValidationError,
} from "./errors.ts";
export type { DeprecationEvent, Operation, RetryEvent, WaitEvent } from "./events.ts";
export type { IntegerMode, IntegerOf } from "./int64.ts";
export type { Inventory } from "./inventory.ts";
export type { RateLimits, RateLimitWindow } from "./limits.ts";
export type { Deployment, PetstoreOptions } from "./options.ts";
export type { NewOrder, Order, OrderPage, OrderPatch, OrderQuery, OrderStatus } from "./order.ts";
export type { Orders } from "./orders.ts";
export type { NewPet, Pet, PetPage, PetPatch, PetQuery, PetStatus } from "./pet.ts";
export type { PetstorePromise, PetstoreResponse } from "./promise.ts";
export type { Int64 } from "./schema.ts";
export type { Fetch } from "./send.ts";
export type { Usage, UsageHour } from "./usage.ts";
export type { AppInfo } from "./user-agent.ts";

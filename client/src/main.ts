/** The client of the Petstore service. */

export type { Identified, PetstorePromise, PetstoreResponse } from "./calls.ts";
export type { Categories, Category, CategoryPage, CategoryQuery, NewCategory } from "./categories.ts";
export type { RequestOptions, Usage, UsageHour } from "./client.ts";
export { PetstoreClient } from "./client.ts";
export type { Clock } from "./clock.ts";
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
export type { Event, EventQuery, EventType } from "./events.ts";
export type { IntegerMode, IntegerOf } from "./int64.ts";
export type { RateLimits, RateLimitWindow } from "./limits.ts";
export type {
  AppInfo,
  CallOptions,
  ChangeOptions,
  CreateOptions,
  Deployment,
  DeprecationEvent,
  Logger,
  Operation,
  OperationName,
  PetstoreOptions,
  RequestEvent,
  ResponseEvent,
  RetryEvent,
  WaitEvent,
} from "./options.ts";
export type { NewOrder, Order, OrderPage, OrderPatch, OrderQuery, OrderStatus, Orders } from "./orders.ts";
export type {
  CreatePetsOptions,
  Creation,
  CreationProgress,
  Inventory,
  NewPet,
  Pet,
  PetPage,
  PetPatch,
  PetQuery,
  PetStatus,
} from "./pets.ts";
export type { PetstoreIterator, Query } from "./resource.ts";
export type { Int64 } from "./schema.ts";
export type { Fetch } from "./send.ts";
export {
  verifyWebhook,
  WebhookError,
  type WebhookEvent,
  type WebhookHeaders,
  type WebhookMessage,
} from "./webhooks.ts";

/** The client of the Petstore service. */
export { type CallOptions, type CreateOptions, PetstoreClient } from "./client.ts";
export type { Clock } from "./clock.ts";
export {
  AuthenticationError,
  type ConnectionCode,
  ConnectionError,
  type ErrorCode,
  type ErrorDetail,
  type ErrorProperties,
  IdempotencyError,
  NotFoundError,
  PetstoreError,
  RateLimitError,
  RemovedError,
  ScopeError,
  type ServiceCode,
  ServiceError,
  ValidationError,
} from "./errors.ts";
export type { DeprecationEvent, Operation, RetryEvent, WaitEvent } from "./events.ts";
export type { IntegerMode, IntegerOf } from "./int64.ts";
export type { RateLimits, RateLimitWindow } from "./limits.ts";
export type { Deployment, PetstoreOptions } from "./options.ts";
export type { NewPet, Pet, PetPage, PetQuery, PetStatus } from "./pet.ts";
export type { Int64 } from "./schema.ts";
export type { Fetch } from "./send.ts";

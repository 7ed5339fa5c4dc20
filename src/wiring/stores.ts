import type { SqlIdempotencyKeys } from "../adapters/sql/idempotency-keys.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import type { AuditLog } from "../domain/audit.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { CategoryStore } from "../domain/categories.ts";
import type { Counters, FindKey, KeyStore } from "../domain/keys/store.ts";
import type { OperatorStore } from "../domain/operators.ts";
import type { OrderStore } from "../domain/orders.ts";
import type { BulkPets, PetStore } from "../domain/pets.ts";
import type { RequestSegments } from "../domain/requests.ts";
import type { ShopStore } from "../domain/shop.ts";
import type { UsageStore } from "../domain/usage/reading.ts";

/** All stores, on SQLite or PostgreSQL. */
export type Stores = {
  pets: PetStore;
  categories: CategoryStore;
  orders: OrderStore;
  idempotencyKeys: Pick<SqlIdempotencyKeys, "forget">;
  keys: KeyStore;
  /** `keys.findBySecret` through the key cache. */
  findKey: FindKey;
  /** Counts the hits and misses of the key cache. */
  keyCache: { readonly hits: number; readonly misses: number };
  counters: Counters;
  usage: UsageStore;
  bulk: BulkPets;
  shop: ShopStore;
  operators: OperatorStore;
  audit: AuditLog;
  requests: RequestSegments;
  /** The ids of acknowledged pets that the store lacked when it was opened. PostgreSQL reports its losses itself. */
  lost: IdRange | undefined;
  /** Makes changes by other processes visible to the caches. Called once per request. */
  refresh(): void;
  /** The clock of the engine's server, in Unix ms; undefined if that is this machine's. @throws service_unavailable */
  now: (() => Promise<number>) | undefined;
  /** The bytes of the database. @throws service_unavailable */
  size(): Awaitable<number>;
  /** @throws service_unavailable when the engine does not answer */
  check(): Awaitable<void>;
  /** Runs `work` while it holds the one lock that all nodes share. */
  withLock<T>(work: () => Promise<T>): Promise<T>;
  close(): Awaitable<void>;
};

import type { SqlIdempotencyKeys } from "../adapters/sql/idempotency-keys.ts";
import type { IdRange } from "../adapters/sqlite/ids.ts";
import type { AuditLog } from "../domain/audit/log.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { CategoryStore } from "../domain/categories/store.ts";
import type { Counters } from "../domain/keys/counters.ts";
import type { FindKey, KeyStore } from "../domain/keys/store.ts";
import type { OperatorStore } from "../domain/operators/store.ts";
import type { OrderStore } from "../domain/orders/store.ts";
import type { BulkPets } from "../domain/pets/bulk.ts";
import type { PetStore } from "../domain/pets/store.ts";
import type { RequestSegments } from "../domain/requests/segment.ts";
import type { ShopStore } from "../domain/shop/store.ts";
import type { UsageStore } from "../domain/usage/store.ts";

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

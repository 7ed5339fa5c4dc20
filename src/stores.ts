import type { AuditLog } from "./audit/log.ts";
import type { Awaitable } from "./awaitable.ts";
import type { Counters } from "./keys/counters.ts";
import type { KeyStore } from "./keys/store.ts";
import type { OperatorStore } from "./operators/store.ts";
import type { BulkPets } from "./pets/bulk.ts";
import type { PetStore } from "./pets/store.ts";
import type { UsageStore } from "./usage/store.ts";

/** Where everything is kept, on whichever engine. */
export type Stores = {
  pets: PetStore;
  keys: KeyStore;
  /** The keys that requests come with: as `keys` has them, at most a second ago. */
  findBySecret: KeyStore["findBySecret"];
  counters: Counters;
  usage: UsageStore;
  bulk: BulkPets;
  operators: OperatorStore;
  audit: AuditLog;
  /** Brings what is known by heart up to date; once a request. */
  refresh(): void;
  /** @throws service_unavailable when the engine does not answer */
  check(): Awaitable<void>;
  /** Does `work` while no other node is at work like this: they take turns. */
  alone<T>(work: () => Promise<T>): Promise<T>;
  close(): Awaitable<void>;
};

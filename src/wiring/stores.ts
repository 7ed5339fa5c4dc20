import type { AuditLog } from "../domain/audit/log.ts";
import type { Awaitable } from "../domain/awaitable.ts";
import type { Counters } from "../domain/keys/counters.ts";
import type { KeyStore } from "../domain/keys/store.ts";
import type { OperatorStore } from "../domain/operators/store.ts";
import type { BulkPets } from "../domain/pets/bulk.ts";
import type { PetStore } from "../domain/pets/store.ts";
import type { UsageStore } from "../domain/usage/store.ts";

/** Where everything is kept, on whichever engine. */
export type Stores = {
  pets: PetStore;
  keys: KeyStore;
  /** The keys that requests come with: as `keys` has them, at most a second ago. */
  findBySecret: KeyStore["findBySecret"];
  /** How many of those look-ups were answered from memory, and how many were not, so far. */
  keyCache: { readonly hits: number; readonly misses: number };
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

import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters } from "../domain/keys/counters.ts";
import type { PetStore } from "../domain/pets/store.ts";
import type { UsageStore } from "../domain/usage/store.ts";

/** Instruments a method of a store. `operation` names both, such as `pets.list`. */
export type Instrument = <Args extends unknown[], Result>(
  operation: string,
  method: (...args: Args) => Result,
) => (...args: Args) => Result;

/** Records the calls of `engine` with all `instrumentations`. The first is outermost. */
export function instrumenter(engine: string, instrumentations: Instrumentation[]): Instrument {
  return (operation, method) =>
    instrumentations.reduceRight((inner, instrumentation) => {
      const call = instrumentation.of(engine, operation);
      return (...args) => call(() => inner(...args));
    }, method);
}

/** Instruments the calls that requests make. */
export function instrumentPets(pets: PetStore, instrument: Instrument): PetStore {
  return {
    create: instrument("pets.create", (pet) => pets.create(pet)),
    createAudited: instrument("pets.createAudited", (pet, entryOf) => pets.createAudited(pet, entryOf)),
    createIdempotently: instrument("pets.createIdempotently", (pet, key) => pets.createIdempotently(pet, key)),
    get: instrument("pets.get", (id) => pets.get(id)),
    list: instrument("pets.list", (page) => pets.list(page)),
    update: instrument("pets.update", (id, patch, versions) => pets.update(id, patch, versions)),
    delete: instrument("pets.delete", (id, versions) => pets.delete(id, versions)),
    forgetIdempotencyKeys: (time) => pets.forgetIdempotencyKeys(time),
    revision: () => pets.revision(),
  };
}

/** Instruments the writes of counters. */
export function instrumentCounters(counters: Counters, instrument: Instrument): Counters {
  return {
    load: () => counters.load(),
    limitStateOf: (keyId) => counters.limitStateOf(keyId),
    deprecatedCallsOf: (keyId) => counters.deprecatedCallsOf(keyId),
    callers: (page) => counters.callers(page),
    callTotal: (operation) => counters.callTotal(operation),
    save: instrument("counters.save", (states, activity) => counters.save(states, activity)),
  };
}

/** Instruments the writes of usage. */
export function instrumentUsage(usage: UsageStore, instrument: Instrument): UsageStore {
  return {
    add: instrument("usage.add", (write) => usage.add(write)),
    usageOf: (who, resolution, starts) => usage.usageOf(who, resolution, starts),
    latency: (resolution, starts) => usage.latency(resolution, starts),
    prune: (now, limit) => usage.prune(now, limit),
  };
}

import manifest from "../../package.json" with { type: "json" };
import { Metrics } from "../adapters/prometheus/metrics.ts";
import type { CategoryStore } from "../domain/categories.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters, KeyStore } from "../domain/keys/store.ts";
import type { OrderStore } from "../domain/orders.ts";
import type { PetStore } from "../domain/pets.ts";
import type { UsageStore } from "../domain/usage/reading.ts";
import type { Config, TracingConfig } from "./config.ts";
import type { Log, Runtime } from "./log.ts";

const { version } = manifest;

/** Opens metrics, and traces if a collector is configured. `instrumentations` records calls of dependencies for both. */
export async function openInstrumentation(
  { deployment, tracing }: Pick<Config, "deployment" | "tracing">,
  runtime: Runtime,
  log: Log,
) {
  const metrics = newMetrics(deployment, runtime);
  if (tracing === undefined) return { metrics, tracing: undefined, instrumentations: [metrics.stores] };
  const traces = await openTracing(tracing, deployment, log);
  const instrumentations: Instrumentation[] = [traces, metrics.stores];
  return { metrics, tracing: traces, instrumentations };
}

export function newMetrics(deployment: Deployment, runtime: Runtime): Metrics {
  return new Metrics({ version, runtime: runtime.name, deployment }, runtime.process);
}

async function openTracing(tracing: TracingConfig, deployment: Deployment, log: Log) {
  // Loaded only with a collector: it takes time and memory.
  const { Tracing } = await import("../adapters/opentelemetry/tracing.ts");
  return new Tracing(
    { ...tracing, version, deployment },
    {
      onFailure: (err) => log.warn({ err }, "traces cannot be sent and are dropped until the collector takes them"),
      onRecovery: () => log.info("the collector takes traces again"),
    },
  );
}

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
    create: instrument("pets.create", (pet, entryOf) => pets.create(pet, entryOf)),
    createIdempotently: instrument("pets.createIdempotently", (pet, key) => pets.createIdempotently(pet, key)),
    get: instrument("pets.get", (id) => pets.get(id)),
    list: instrument("pets.list", (page) => pets.list(page)),
    update: instrument("pets.update", (id, patch, options) => pets.update(id, patch, options)),
    delete: instrument("pets.delete", (id, options) => pets.delete(id, options)),
    inventory: instrument("pets.inventory", () => pets.inventory()),
    revision: () => pets.revision(),
  };
}

export function instrumentCategories(categories: CategoryStore, instrument: Instrument): CategoryStore {
  return {
    create: instrument("categories.create", (category, options) => categories.create(category, options)),
    put: instrument("categories.put", (category, options) => categories.put(category, options)),
    rename: instrument("categories.rename", (all, entryOf) => categories.rename(all, entryOf)),
    delete: instrument("categories.delete", (id, options) => categories.delete(id, options)),
    get: instrument("categories.get", (id) => categories.get(id)),
    list: instrument("categories.list", (page) => categories.list(page)),
  };
}

export function instrumentOrders(orders: OrderStore, instrument: Instrument): OrderStore {
  return {
    place: instrument("orders.place", (petId, now, options) => orders.place(petId, now, options)),
    update: instrument("orders.update", (id, status, now, options) => orders.update(id, status, now, options)),
    get: instrument("orders.get", (id) => orders.get(id)),
    list: instrument("orders.list", (page) => orders.list(page)),
    counts: instrument("orders.counts", () => orders.counts()),
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
    save: instrument("counters.save", (changed, activity) => counters.save(changed, activity)),
  };
}

/** Instruments the writes of usage. */
export function instrumentUsage(usage: UsageStore, instrument: Instrument): UsageStore {
  return {
    add: instrument("usage.add", (write, onVisible) => usage.add(write, onVisible)),
    usageOf: (who, moments) => usage.usageOf(who, moments),
    usageOfPlans: (resolution, starts) => usage.usageOfPlans(resolution, starts),
    busiest: (ranking, resolution, starts, limit) => usage.busiest(ranking, resolution, starts, limit),
    sumsOf: (keyIds, resolution, starts) => usage.sumsOf(keyIds, resolution, starts),
    latency: (moments) => usage.latency(moments),
    prune: (now, limit) => usage.prune(now, limit),
  };
}

/** The same store, which calls `forget` after each change of a key, also one whose outcome is unknown. */
export function invalidatingKeys(keys: KeyStore, forget: (keyId: string) => void): KeyStore {
  const after = <T>(keyId: string, change: Promise<T>) => change.finally(() => forget(keyId));
  return {
    findBySecret: (hash) => keys.findBySecret(hash),
    get: (id) => keys.get(id),
    list: (page, now) => keys.list(page, now),
    listCounted: (page, now, most) => keys.listCounted(page, now, most),
    counts: (now) => keys.counts(now),
    isEmpty: () => keys.isEmpty(),
    add: (key, secret, entry) => keys.add(key, secret, entry),
    replace: (key, version, entry) => after(key.id, keys.replace(key, version, entry)),
    addSecret: (secret, othersExpireAt, entry) => after(secret.keyId, keys.addSecret(secret, othersExpireAt, entry)),
    endGrace: (keyId, at, entry) => after(keyId, keys.endGrace(keyId, at, entry)),
    countSimulated: async (keyId, simulation) => {
      const position = await keys.countSimulated(keyId, simulation);
      // Its simulation is over. Otherwise what is known of the key still holds.
      if (position === undefined) forget(keyId);
      return position;
    },
  };
}

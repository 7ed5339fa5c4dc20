import manifest from "../../package.json" with { type: "json" };
import type { CategoryStore } from "../domain/categories.ts";
import type { Deployment } from "../domain/deployment.ts";
import type { Instrumentation } from "../domain/instrumentation.ts";
import type { Counters, KeyStore } from "../domain/keys/store.ts";
import type { OrderStore } from "../domain/orders.ts";
import type { PetStore } from "../domain/pets.ts";
import type { UsageStore } from "../domain/usage/reading.ts";
import type { TracingConfig } from "./config.ts";
import type { Log } from "./log.ts";

export async function openTracing(tracing: TracingConfig | undefined, deployment: Deployment, log: Log) {
  if (tracing === undefined) return undefined;
  // Loaded only with a collector: it takes time and memory.
  const { Tracing } = await import("../adapters/opentelemetry/tracing.ts");
  return new Tracing(
    { ...tracing, version: manifest.version, deployment },
    {
      onFailure: (err) => log.warn({ err }, "traces cannot be sent and are dropped until the collector takes them"),
      onRecovery: () => log.info("the collector takes traces again"),
    },
  );
}

/** Records the calls of a function as those of an operation, such as `pets.list`. A synchronous one stays synchronous. */
type Instrument = <Args extends unknown[], Result>(
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

/** The same store, of which these methods are instrumented: of the store `pets` the method `list` as `pets.list`. */
export function instrumented<Name extends string, Store extends Record<Name, (...args: never[]) => unknown>>(
  store: Store,
  name: string,
  methods: Name[],
  instrument: Instrument,
): Store {
  const recorded = methods.map((method) => [method, instrument(`${name}.${method}`, store[method].bind(store))]);
  return overriding(store, Object.fromEntries(recorded));
}

/** The same store, but for these methods. All others run on the store itself, whose private fields they need. */
export function overriding<Store extends object>(store: Store, methods: Partial<Store>): Store {
  const derived: Store = Object.create(store);
  for (let owner: object = store; owner !== Object.prototype; owner = Object.getPrototypeOf(owner)) {
    for (const name of Object.getOwnPropertyNames(owner)) {
      const method: unknown = Reflect.get(store, name);
      if (typeof method === "function") Reflect.set(derived, name, method.bind(store));
    }
  }
  return Object.assign(derived, methods);
}

type InstrumentedStores = {
  pets: PetStore;
  categories: CategoryStore;
  orders: OrderStore;
  counters: Counters;
  usage: UsageStore;
};

/** The same stores. What requests call is instrumented, and what background tasks write. */
export function instrumentedStores(
  { pets, categories, orders, counters, usage }: InstrumentedStores,
  instrument: Instrument,
): InstrumentedStores {
  return {
    pets: instrumented(
      pets,
      "pets",
      ["create", "createIdempotently", "createAll", "get", "list", "update", "delete", "count", "inventory"],
      instrument,
    ),
    categories: instrumented(categories, "categories", ["create", "put", "delete", "get", "list"], instrument),
    orders: instrumented(orders, "orders", ["place", "update", "get", "list", "counts"], instrument),
    counters: instrumented(counters, "counters", ["save"], instrument),
    usage: instrumented(usage, "usage", ["add"], instrument),
  };
}

/** The same store, which calls `forget` after each change of a key, also one whose outcome is unknown. */
export function invalidatingKeys(keys: KeyStore, forget: (keyId: string) => void): KeyStore {
  const after = <T>(keyId: string, change: Promise<T>) => change.finally(() => forget(keyId));
  return overriding(keys, {
    replace: (key, version, entry, secrets) => after(key.id, keys.replace(key, version, entry, secrets)),
    countSimulated: async (keyId, simulation) => {
      const position = await keys.countSimulated(keyId, simulation);
      // Its simulation is over. Otherwise what is known of the key still holds.
      if (position === undefined) forget(keyId);
      return position;
    },
  });
}

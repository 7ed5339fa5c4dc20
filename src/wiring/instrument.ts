import type { Awaitable } from "../domain/awaitable.ts";
import type { Instrumentation, InstrumentedCall } from "../domain/instrumentation.ts";

/** Gives a store of which calls of these methods are watched; `name` is what it keeps. */
type Instrument = <T extends object>(name: string, store: T, methods: (keyof T & string)[]) => T;

/** Watches stores on one engine by all of `watches`, the first of which watches the others too. */
export function instrumenter(engine: string, watches: Instrumentation[]): Instrument {
  if (watches.length === 0) return (_name, store) => store;
  return <T extends object>(name: string, store: T, methods: (keyof T & string)[]) => {
    const watched = new Map<string, InstrumentedCall>(
      methods.map((method) => [method, together(watches.map((watch) => watch.of(engine, `${name}.${method}`)))]),
    );
    const facade: Record<string, Call> = {};
    for (const method of methodsOf(store)) facade[method] = through(watched.get(method), bound(store, method));
    return facade as T;
  };
}

type Call = (...args: unknown[]) => Awaitable<unknown>;

function together(watches: InstrumentedCall[]): InstrumentedCall {
  return watches.reduceRight((inner, outer) => (call) => outer(() => inner(call)));
}

function through(watched: InstrumentedCall | undefined, call: Call): Call {
  return watched === undefined ? call : (...args) => watched(() => call(...args));
}

function methodsOf(store: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(store)).filter((name) => name !== "constructor");
}

function bound(store: object, method: string): Call {
  const call: unknown = Reflect.get(store, method);
  if (typeof call !== "function") throw new Error(`${method} is not a method`);
  return call.bind(store);
}

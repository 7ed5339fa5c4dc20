import type { Awaitable } from "../domain/awaitable.ts";
import type { Watch, Watched } from "../domain/watch.ts";

/** Gives a store of which calls of these methods are watched; `name` is what it keeps. */
type WatchStore = <T extends object>(name: string, store: T, methods: (keyof T & string)[]) => T;

/** Watches stores on one engine by all of `watches`, the first of which watches the others too. */
export function watching(engine: string, watches: Watch[]): WatchStore {
  if (watches.length === 0) return (_name, store) => store;
  return <T extends object>(name: string, store: T, methods: (keyof T & string)[]) => {
    const watched = new Map<string, Watched>(
      methods.map((method) => [method, together(watches.map((watch) => watch.of(engine, `${name}.${method}`)))]),
    );
    const facade: Record<string, Call> = {};
    for (const method of methodsOf(store)) facade[method] = through(watched.get(method), bound(store, method));
    return facade as T;
  };
}

type Call = (...args: unknown[]) => Awaitable<unknown>;

function together(watches: Watched[]): Watched {
  return watches.reduceRight((inner, outer) => (call) => outer(() => inner(call)));
}

function through(watched: Watched | undefined, call: Call): Call {
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

import type { Awaitable } from "./awaitable.ts";
import type { Watch, Watched } from "./watch.ts";

/** `store`, with calls of these methods watched by all of `watches`; `kind` is what it stands on, `name` what it keeps. */
export function watched<T extends object, Method extends keyof T & string>(
  store: T,
  { kind, name }: { kind: string; name: string },
  methods: Method[],
  watches: Watch[],
): T {
  if (watches.length === 0) return store;
  const own = new Map(methods.map((method) => [String(method), nested(watches, kind, `${name}.${method}`)]));
  const facade: Record<string, unknown> = {};
  for (const method of methodsOf(store)) {
    const call = bound(store, method);
    const watch = own.get(method);
    facade[method] = watch === undefined ? call : (...args: unknown[]) => watch(() => call(...args));
  }
  return facade as T;
}

type Call = (...args: unknown[]) => Awaitable<unknown>;

/** The first of them watches the others too. */
function nested(watches: Watch[], kind: string, operation: string): Watched {
  return watches
    .map((watch) => watch.of(kind, operation))
    .reduceRight<Watched>(
      (inner, outer) => (call) => outer(() => inner(call)),
      (call) => call(),
    );
}

function methodsOf(store: object): string[] {
  return Object.getOwnPropertyNames(Object.getPrototypeOf(store)).filter((name) => name !== "constructor");
}

function bound(store: object, method: string): Call {
  const call: unknown = Reflect.get(store, method);
  if (typeof call !== "function") throw new Error(`${method} is not a method`);
  return call.bind(store);
}

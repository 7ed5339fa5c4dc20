/** What to run when a signal aborts. One listener per signal: Node warns about the eleventh. */
const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>();

/** Runs `callback` when the signal aborts. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (signal === undefined) return () => {};
  const callbacks = callbacksOf.get(signal) ?? listenTo(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function listenTo(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  callbacksOf.set(signal, callbacks);
  const runAll = () => {
    for (const run of callbacks) run();
  };
  signal.addEventListener("abort", runAll, { once: true });
  return callbacks;
}

/** What to run when a signal aborts. One listener per signal: Node warns about the eleventh. */
const callbacksOf = new WeakMap<AbortSignal, Set<() => void>>();

/** Runs `callback` when the signal aborts. Returns a function that cancels this. */
export function onAbort(signal: AbortSignal | undefined, callback: () => void): () => void {
  if (!signal) return () => {};
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

/** The client's source of time and random numbers. Replace it to test your own code without waiting. */
export interface Clock {
  /** The time, in Unix milliseconds. */
  now(): number;
  /** Resolves after this many milliseconds, or rejects with the signal's reason when aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A random number from 0 up to, but not including, 1. */
  random(): number;
}

/** The longest delay of a timer, in ms: a longer one fires at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** A clock that never goes back, also when the machine's clock is set. */
export const realClock: Clock = {
  now: () => performance.timeOrigin + performance.now(),
  random: () => Math.random(),
  async sleep(ms, signal) {
    for (let left = ms; left > 0; left -= LONGEST_TIMER) await nap(Math.min(left, LONGEST_TIMER), signal);
  },
};

function nap(ms: number, signal?: AbortSignal): Promise<void> {
  let ignoreAbort = () => {};
  return new Promise<void>((resolve, reject) => {
    signal?.throwIfAborted();
    const timer = setTimeout(resolve, ms);
    ignoreAbort = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  }).finally(() => {
    ignoreAbort();
  });
}

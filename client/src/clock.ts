import { onAbort } from "./abort.ts";

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
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const timer = setTimeout(() => {
      ignoreAbort();
      resolve();
    }, ms);
    const ignoreAbort = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  });
}

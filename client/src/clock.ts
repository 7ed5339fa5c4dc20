/** What the client knows of time and chance. Give another one to test your own code without waiting. */
export interface Clock {
  /** The time, in Unix milliseconds. */
  now(): number;
  /** Resolves after so many milliseconds, or rejects with the signal's reason once that is aborted. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** A number from 0 up to 1, at random. */
  random(): number;
}

/** What a timer takes at most, in ms: a longer one would end at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

/** Time that never goes back, whatever becomes of the machine's clock. */
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
    const stop = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}

import type { Awaitable } from "../../domain/awaitable.ts";

/**
 * Shares one read between identical requests of one turn of the event loop. The read starts when the turn ends, after all
 * of these requests have arrived, so that each gets what its own read would have found.
 */
export class RequestCoalescer<T> {
  readonly #pending = new Map<string, Promise<T>>();

  /** Returns the result of `read`. Of several calls with the same key, only the first one's `read` runs. */
  run(key: string, read: () => Awaitable<T>): Promise<T> {
    const pending = this.#pending.get(key);
    if (pending !== undefined) return pending;
    const result = this.#endOfTurn(key).then(read);
    this.#pending.set(key, result);
    return result;
  }

  #endOfTurn(key: string): Promise<void> {
    return new Promise((resolve) => {
      setImmediate(() => {
        this.#pending.delete(key);
        resolve();
      });
    });
  }
}

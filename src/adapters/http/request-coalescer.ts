import type { Awaitable } from "../../domain/awaitable.ts";

/**
 * Runs a read once for all requests of one turn of the event loop that need the same. It begins when the turn ends:
 * after all of them arrived, so that each gets what a read of its own would have found.
 */
export class RequestCoalescer<T> {
  readonly #pending = new Map<string, Promise<T>>();

  /** What `read` gives; of several with the same key only the first one's is called. */
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

/**
 * A value or a promise of it. Callers `await` it, or use `after` on the path of a request, which continues synchronously
 * with a value: Bun loses a pipelined request behind one that waits for a later turn of the event loop.
 */
export type Awaitable<T> = T | Promise<T>;

/** Returns `next(value)`: synchronously for a value, as a promise for a promise. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `call`, or throws its error. Calls `ended` when the call, or its promise, has ended. */
export function observed<T>(call: () => T, ended: (thrown?: { error: unknown }) => void): T {
  let result: T;
  try {
    result = call();
  } catch (error) {
    ended({ error });
    throw error;
  }
  if (result instanceof Promise)
    result.then(
      () => ended(),
      (error) => ended({ error }),
    );
  else ended();
  return result;
}

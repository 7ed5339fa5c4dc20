/**
 * A value that is there already, or will be. Callers `await` it, or go on at once with `after` where a request must not
 * wait for a turn of the event loop that it does not need: on Bun a pipelined request is lost behind one that waits for
 * more than what is there already.
 */
export type Awaitable<T> = T | Promise<T>;

/** What `next` gives for the value: at once when it is there, otherwise as soon as it is. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns what `call` returns, or throws its error, and calls `ended` as soon as it has ended, with the error if any. */
export function observed<T>(call: () => T, ended: (thrown?: { error: unknown }) => void): T {
  let given: T;
  try {
    given = call();
  } catch (error) {
    ended({ error });
    throw error;
  }
  if (given instanceof Promise)
    given.then(
      () => ended(),
      (error) => ended({ error }),
    );
  else ended();
  return given;
}

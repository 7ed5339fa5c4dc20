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

/** What `call` gives or throws; `ended` is called first, with the error if there was one. */
export function observed<T>(call: () => Awaitable<T>, ended: (thrown?: { error: unknown }) => void): Awaitable<T> {
  const failed = (error: unknown): never => {
    ended({ error });
    throw error;
  };
  let given: Awaitable<T>;
  try {
    given = call();
  } catch (error) {
    return failed(error);
  }
  if (given instanceof Promise) {
    return given.then((value) => {
      ended();
      return value;
    }, failed);
  }
  ended();
  return given;
}

/**
 * A value that is there already, or will be. What lives inside the process answers at once, and the request with it:
 * that is faster, and Bun loses both answers when a request arrives behind one whose handler has yet to answer.
 */
export type Awaitable<T> = T | Promise<T>;

/** `next` of the value: at once when it is there, otherwise as soon as it is. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** What `attempt` gives, or what `rescue` makes of the error it fails with. */
export function rescued<T>(attempt: () => Awaitable<T>, rescue: (error: unknown) => T): Awaitable<T> {
  try {
    const value = attempt();
    return value instanceof Promise ? value.catch(rescue) : value;
  } catch (error) {
    return rescue(error);
  }
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

/**
 * A value or a promise of it. Callers `await` it, or use `after` on the path of a request, which continues
 * synchronously with a value: a promise takes a part of a microsecond.
 */
export type Awaitable<T> = T | Promise<T>;

/** Returns `next(value)`: synchronously for a value, as a promise for a promise. */
export function after<T, U>(value: Awaitable<T>, next: (value: T) => Awaitable<U>): Awaitable<U> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Returns the result of `call`, or of `handle` for the error that it throws or that its promise rejects with. */
export function caught<T>(call: () => Awaitable<T>, handle: (error: unknown) => Awaitable<T>): Awaitable<T> {
  try {
    const result = call();
    return result instanceof Promise ? result.catch(handle) : result;
  } catch (error) {
    return handle(error);
  }
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

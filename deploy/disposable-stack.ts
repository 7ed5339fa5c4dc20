/** Node 22 lacks AsyncDisposableStack: the part of it that the service uses, for `@petstore/server/testing`. */
export class Stack implements AsyncDisposable {
  #disposers: (() => unknown)[] = [];

  use<T extends AsyncDisposable | Disposable | null | undefined>(value: T): T {
    if (value === null || value === undefined) return value;
    const dispose = Symbol.asyncDispose in value ? value[Symbol.asyncDispose] : value[Symbol.dispose];
    this.#disposers.push(() => dispose.call(value));
    return value;
  }

  adopt<T>(value: T, dispose: (value: T) => unknown): T {
    this.#disposers.push(() => dispose(value));
    return value;
  }

  defer(dispose: () => unknown): void {
    this.#disposers.push(dispose);
  }

  move(): Stack {
    const moved = new Stack();
    moved.#disposers = this.#disposers.splice(0);
    return moved;
  }

  async disposeAsync(): Promise<void> {
    const errors: unknown[] = [];
    for (const dispose of this.#disposers.splice(0).reverse()) {
      try {
        await dispose();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 0) throw errors[0];
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.disposeAsync();
  }
}

export const AsyncDisposableStack = globalThis.AsyncDisposableStack ?? Stack;

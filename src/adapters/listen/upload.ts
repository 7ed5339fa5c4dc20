/** A body that is read as it arrives. */
export class Upload implements AsyncIterable<Uint8Array> {
  /** The size of what has come and is not read. */
  size = 0;
  isEnded = false;
  /** Why the rest does not come. */
  failure: string | undefined;
  readonly #onRead: () => void;
  #chunks: Uint8Array[] = [];
  #more: PromiseWithResolvers<void> = Promise.withResolvers();

  /** Calls `onRead` when more may arrive. */
  constructor(onRead: () => void) {
    this.#onRead = onRead;
  }

  push(chunk: Uint8Array): void {
    this.size += chunk.length;
    this.#chunks.push(chunk);
    this.#more.resolve();
  }

  end(): void {
    this.isEnded = true;
    this.#more.resolve();
  }

  /** The rest does not come, for this reason. */
  fail(reason: string): void {
    if (this.isEnded) return;
    this.failure ??= reason;
    this.#more.resolve();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) {
        yield chunk;
        this.size -= chunk.length;
        this.#onRead();
        continue;
      }
      if (this.failure !== undefined) throw new Error(this.failure);
      if (this.isEnded) return;
      this.#more = Promise.withResolvers();
      await this.#more.promise;
    }
  }
}

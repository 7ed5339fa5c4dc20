/** The options of every call. Those that a client has too replace the client's for this call. */
export interface CallOptions {
  /** Aborts the call, also while it waits. The call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** The time-out of a single request, in ms. */
  readonly timeout?: number | undefined;
  /** The largest number of retries; 0 for none. */
  readonly maxRetries?: number | undefined;
  /** The time for the whole call, including retries and waits for limits, in ms. */
  readonly budget?: number | undefined;
  /** Further request headers, such as `traceparent`. Headers that the client sets itself are not replaced. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** The options of a creation. */
export interface CreateOptions extends CallOptions {
  /**
   * The idempotency key: within 24 hours, creations with the same key happen once. 1 to 255 printable ASCII characters.
   * By default each call has a new key, which makes its retries safe.
   */
  readonly idempotencyKey?: string | undefined;
}

/** The options of a change or a removal. */
export interface ChangeOptions extends CallOptions {
  /**
   * The header `ETag` of a response: the change is made only if the resource still has it. `*`: only if the resource exists.
   * The client refuses null, because the response had no ETag.
   */
  readonly ifMatch?: string | null | undefined;
}

const IDEMPOTENCY_KEY = /^[ -~]{1,255}$/;

/** @throws RangeError for an idempotency key or an ETag that cannot be sent */
export function checkOptions({ idempotencyKey = "-", ifMatch = "*" }: CreateOptions & ChangeOptions): void {
  if (!IDEMPOTENCY_KEY.test(idempotencyKey)) {
    throw new RangeError("idempotencyKey must be 1 to 255 printable ASCII characters.");
  }
  if (!ifMatch) throw new RangeError("ifMatch must be an ETag: the header ETag of a response.");
}

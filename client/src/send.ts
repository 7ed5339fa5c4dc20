import { LONGEST_TIMER, onAbort } from "./clock.ts";
import { ConnectionError } from "./errors.ts";

/** A function like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A complete response: its body, which was read, is `text`. */
export type CompleteResponse = { response: Response; text: string };

/** A request to send, to `address` with `query`. `timeout` is in ms. */
type Outgoing = {
  address: string;
  query: string;
  init: RequestInit;
  requestId: string;
  timeout: number;
  signal: AbortSignal | undefined;
};

/**
 * Sends one request and reads the complete response.
 * @throws ConnectionError when the connection fails or the request times out; the signal's reason when aborted
 */
export async function send(fetch: Fetch, request: Outgoing): Promise<CompleteResponse> {
  const { address, query, init, requestId, timeout, signal } = request;
  signal?.throwIfAborted();
  const controller = new AbortController();
  const ignoreAbort = onAbort(signal, () => controller.abort());
  let hasTimedOut = false;
  const timer = setTimeout(
    () => {
      hasTimedOut = true;
      controller.abort();
    },
    Math.min(timeout, LONGEST_TIMER),
  );
  try {
    // Redirects are not followed, so that the key goes nowhere else.
    const response = await fetch(address + query, { ...init, redirect: "manual", signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const properties = { status: 0, requestId, cause } as const;
    if (hasTimedOut) {
      const message = `${address} did not respond within ${timeout} ms.`;
      throw new ConnectionError(message, { ...properties, code: "timed_out" });
    }
    const message = `The connection to ${address} failed: ${reasonOf(cause)}`;
    throw new ConnectionError(message, { ...properties, code: "connection_failed" });
  } finally {
    clearTimeout(timer);
    ignoreAbort();
  }
}

/** Returns the message of the innermost cause: Node's own says only that `fetch` failed. */
function reasonOf(error: unknown): string {
  const { cause, message, code }: { cause?: unknown; message?: unknown; code?: unknown } = Object(error);
  return cause === undefined ? String(message || code || error) : reasonOf(cause);
}

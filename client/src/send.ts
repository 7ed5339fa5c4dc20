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
  const timer = setTimeout(() => controller.abort(), Math.min(timeout, LONGEST_TIMER));
  try {
    // Redirects are not followed, so that the key goes nowhere else.
    const response = await fetch(address + query, { ...init, redirect: "manual", signal: controller.signal });
    return { response, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    // It was not aborted by the signal.
    const [code, message] = controller.signal.aborted
      ? (["timed_out", `${address} did not respond within ${timeout} ms.`] as const)
      : (["connection_failed", `The connection to ${address} failed: ${reasonOf(cause)}`] as const);
    throw new ConnectionError(message, { code, status: 0, requestId, cause });
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

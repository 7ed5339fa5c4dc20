import { onAbort } from "./abort.ts";
import { LONGEST_TIMER } from "./clock.ts";
import { ConnectionError } from "./errors.ts";

/** A function like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A complete response. */
export type CompleteResponse = { status: number; headers: Headers; text: string };

/** A request to send. `timeout` is in ms. */
type Outgoing = { url: string; init: RequestInit; requestId: string; timeout: number; signal: AbortSignal | undefined };

/**
 * Sends one request and reads the complete response.
 * @throws ConnectionError when the connection fails or the request times out; the signal's reason when aborted
 */
export async function send(fetch: Fetch, request: Outgoing): Promise<CompleteResponse> {
  const { url, init, requestId, timeout, signal } = request;
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
    const response = await fetch(url, { ...init, redirect: "manual", signal: controller.signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const properties = { status: 0, requestId, cause } as const;
    if (hasTimedOut)
      throw new ConnectionError(`No response within ${timeout} ms.`, { ...properties, code: "timed_out" });
    throw new ConnectionError("The connection failed.", { ...properties, code: "connection_failed" });
  } finally {
    clearTimeout(timer);
    ignoreAbort();
  }
}

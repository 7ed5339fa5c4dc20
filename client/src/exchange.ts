import { LONGEST_TIMER } from "./clock.ts";
import { ConnectionError } from "./errors.ts";

/** A function like the global `fetch`. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** An answer, read whole. */
export type Answer = { status: number; headers: Headers; text: string };

/** What is sent, for how many ms at most, and what aborts it. */
type Exchange = { url: string; init: RequestInit; requestId: string; timeout: number; signal: AbortSignal | undefined };

/**
 * Sends one request and reads its answer whole.
 * @throws ConnectionError when that fails or takes too long; the signal's reason when it is aborted
 */
export async function exchange(fetch: Fetch, { url, init, requestId, timeout, signal }: Exchange): Promise<Answer> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const abort = () => stop.abort();
  signal?.addEventListener("abort", abort, { once: true });
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      stop.abort();
    },
    Math.min(timeout, LONGEST_TIMER),
  );
  try {
    // Redirects are not followed: the key goes nowhere else.
    const response = await fetch(url, { ...init, redirect: "manual", signal: stop.signal });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const facts = { status: 0, requestId, cause } as const;
    if (isLate) throw new ConnectionError(`There was no answer within ${timeout} ms.`, { ...facts, code: "timed_out" });
    throw new ConnectionError("The connection failed.", { ...facts, code: "connection_failed" });
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", abort);
  }
}

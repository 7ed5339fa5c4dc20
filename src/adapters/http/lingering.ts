import { MAX_BODY_BYTES } from "./body.ts";

/** How long the rest of a body is read, and how long its sender may pause, in ms. */
const READ_TIMEOUT = 1_000;
const PAUSE_TIMEOUT = 100;
/** How long a client that is still sending then has to read the response, in ms. */
const GRACE_PERIOD = 300;

/**
 * Returns the response with a body that ends only after up to 64 KiB more of the request have arrived. Closing a connection
 * on which data arrives resets it, and a client or proxy that is still sending would lose the response (RFC 9112, 9.6).
 */
export async function lingering(response: Response, unread: ReadableStream<Uint8Array>): Promise<Response> {
  const text = new Uint8Array(await response.arrayBuffer());
  const { status, headers } = response;
  headers.set("Content-Length", String(text.length));
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(text);
      await discard(unread);
      controller.close();
    },
  });
  return new Response(body, { status, headers });
}

/** Reads and drops the rest of a body, within the bounds above. */
async function discard(unread: ReadableStream<Uint8Array>): Promise<void> {
  const reader = unread.getReader();
  const end = performance.now() + READ_TIMEOUT;
  let size = 0;
  while (size < MAX_BODY_BYTES && performance.now() < end) {
    const chunk = await Promise.race([reader.read(), pause(PAUSE_TIMEOUT)]).catch(() => undefined);
    if (chunk?.value === undefined) break;
    size += chunk.value.length;
  }
  if (size >= MAX_BODY_BYTES) await pause(GRACE_PERIOD);
  // Not awaited: nothing depends on the rest of the body.
  reader.cancel().catch(() => {});
}

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}

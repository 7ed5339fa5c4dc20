/**
 * How many bytes of a larger body are read and discarded, for how long, and how long its sender may pause, in ms. Without
 * this, a proxy that is still sending loses the response: HAProxy 2.6 resets its client's connection.
 */
const MAX_DISCARDED_BYTES = 4 * 1024 * 1024;
const DISCARD_TIMEOUT = 1_000;
const PAUSE_TIMEOUT = 50;

type Reader = { read(): Promise<{ value?: Uint8Array | undefined }>; cancel(): Promise<void> };

/** Reads and drops the rest of a body, within the bounds above. */
export async function discard(reader: Reader): Promise<void> {
  const end = performance.now() + DISCARD_TIMEOUT;
  for (let size = 0; size < MAX_DISCARDED_BYTES && performance.now() < end; ) {
    const chunk = await Promise.race([reader.read(), pause(PAUSE_TIMEOUT)]).catch(() => undefined);
    if (chunk?.value === undefined) break;
    size += chunk.value.length;
  }
  // Not awaited: nothing depends on the rest of the body.
  reader.cancel().catch(() => {});
}

function pause(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}

import { setTimeout as pause } from "node:timers/promises";

/** Bytes after which a download pauses, and for how long (ms): it is sent at 64 MB/s at most, and public requests have turns. */
const BURST = 128 * 1024;
const PAUSE = 2;

/** The same bytes, with pauses: however fast the client reads, most of the time is left to other requests. */
export async function* paced(chunks: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of chunks) {
    yield chunk;
    sent += chunk.length;
    if (sent < BURST) continue;
    sent = 0;
    await pause(PAUSE);
  }
}

/** A body that pulls each text, or chunk of bytes, from the generator on demand. Cancelling the body ends the generator. */
export function streamed(parts: AsyncGenerator<string | Uint8Array>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await parts.next();
        if (done) controller.close();
        else controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
      },
      async cancel() {
        await parts.return(undefined);
      },
    },
    // Nothing is generated before the body is read: a response to HEAD has none.
    { highWaterMark: 0 },
  );
}

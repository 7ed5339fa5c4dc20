import { setImmediate as nextTurn } from "node:timers/promises";

/** The bytes of a small chunk: few enough that lines of any content are read and validated in about 1 ms. */
const MAX_BYTES = 1_024;
/** The time after which other work gets a turn of the event loop, in ms. */
const SLICE = 1;

/** Cuts chunks into small ones, and lets the event loop continue between them: a chunk may have megabytes. */
export async function* smallChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let began = performance.now();
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MAX_BYTES) {
      yield chunk.subarray(at, at + MAX_BYTES);
      if (performance.now() - began < SLICE) continue;
      await nextTurn();
      began = performance.now();
    }
  }
}

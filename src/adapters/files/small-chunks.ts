import { setImmediate as nextTurn, setTimeout as pause } from "node:timers/promises";

/** The bytes of a small chunk: few enough that lines of any content are read and validated in about 1 ms. */
const MAX_BYTES = 1_024;
/** The time after which other work gets a turn of the event loop, in ms. */
const SLICE = 1;
/** The most bytes to read per ms on average. Invalid lines could be read five times as fast: garbage would pile up. */
const MOST_PER_MS = 100_000;

/** Cuts chunks into small ones, and lets the event loop continue between them: a chunk may have megabytes. */
export async function* smallChunks(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let began = performance.now();
  let bytes = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += MAX_BYTES) {
      const small = chunk.subarray(at, at + MAX_BYTES);
      yield small;
      bytes += small.length;
      if (performance.now() - began < SLICE && bytes < MOST_PER_MS * SLICE) continue;
      const due = began + bytes / MOST_PER_MS;
      if (performance.now() >= due) await nextTurn();
      // A timer may be a millisecond early.
      while (performance.now() < due) await pause(due - performance.now());
      began = performance.now();
      bytes = 0;
    }
  }
}

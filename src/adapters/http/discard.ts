/**
 * How much of a larger body is read on, for how long at most, and how long its sender may pause, in ms. A proxy that is
 * cut off in the middle of what it sends loses our answer: HAProxy 2.6 resets its client's connection then.
 */
const MOST_DISCARDED = 4 * 1024 * 1024;
const LONGEST_DISCARDING = 1_000;
const LONGEST_PAUSE = 50;

type Reader = { read(): Promise<{ value?: Uint8Array | undefined }>; cancel(): Promise<void> };

/** Reads what is being sent, up to a point. */
export async function discard(reader: Reader): Promise<void> {
  const end = performance.now() + LONGEST_DISCARDING;
  for (let size = 0; size < MOST_DISCARDED && performance.now() < end; ) {
    const chunk = await Promise.race([reader.read(), nothingFor(LONGEST_PAUSE)]).catch(() => undefined);
    if (chunk?.value === undefined) break;
    size += chunk.value.length;
  }
  // Not awaited: the rest of the body is of no interest, whenever it comes.
  reader.cancel().catch(() => {});
}

function nothingFor(milliseconds: number): Promise<undefined> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds, undefined));
}

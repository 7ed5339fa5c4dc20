/** How long nothing may arrive of an object, in ms, and its least speed, in bytes per ms: that of an upload. */
const STALL_TIMEOUT = 30_000;
const LEAST_SPEED = 70;

/** Reads a short text. @throws Error when it has more than so many bytes, or takes longer (ms) */
export async function readText(response: Response, limit: number, timeout: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of chunksWithin(response, () => timeout)) {
    length += chunk.length;
    if (length > limit) throw new Error(`S3 sent more than ${limit} bytes in place of a short answer.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Reads an object of so many bytes. The reader may take its time: what counts is how long S3 takes.
 * @throws Error when there are more or fewer, or S3 is too slow
 */
export async function* chunksOf(response: Response, bytes: number): AsyncGenerator<Uint8Array> {
  let length = 0;
  for await (const chunk of chunksWithin(response, () => STALL_TIMEOUT + length / LEAST_SPEED)) {
    length += chunk.length;
    if (length > bytes) break;
    yield chunk;
  }
  if (length === bytes) return;
  throw new Error(`S3 sent ${length > bytes ? "more" : "fewer"} than the ${bytes} bytes of the object.`);
}

/** `patience`: how long all waiting may have taken so far, in ms. */
async function* chunksWithin(response: Response, patience: () => number): AsyncGenerator<Uint8Array> {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  let waited = 0;
  try {
    for (;;) {
      const startedAt = performance.now();
      const late = Promise.withResolvers<never>();
      const timer = setTimeout(() => late.reject(new Error("S3 stopped sending.")), patience() - waited);
      const read = reader.read().catch((error) => {
        throw new Error(`S3 cut the connection: ${reasonOf(error)}.`);
      });
      const { done, value } = await Promise.race([read, late.promise]).finally(() => clearTimeout(timer));
      waited += performance.now() - startedAt;
      if (done) return;
      yield value;
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}

/** Node's fetch has the reason in the cause; Bun's adds advice in sentences of their own. */
export function reasonOf(error: unknown): string {
  const reason = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const text = reason instanceof Error ? reason.message : String(reason);
  return text.split(". ")[0]?.replace(/[.?]$/, "") ?? "";
}

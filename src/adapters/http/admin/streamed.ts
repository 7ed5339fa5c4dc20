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

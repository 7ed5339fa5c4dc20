/** A body that pulls each text from the generator on demand. Cancelling the body ends the generator. */
export function streamed(texts: AsyncGenerator<string>): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await texts.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(value));
      },
      async cancel() {
        await texts.return(undefined);
      },
    },
    // Nothing is generated before the body is read: a response to HEAD has none.
    { highWaterMark: 0 },
  );
}

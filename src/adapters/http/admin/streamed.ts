/** A body that makes each text when the one before it is taken. Cancelling it ends the generator. */
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
    // Nothing is made before the body is read: the response to HEAD has none.
    { highWaterMark: 0 },
  );
}

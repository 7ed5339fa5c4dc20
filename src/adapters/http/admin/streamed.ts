/** A body of these texts, each made when the one before was taken. Whoever stops reading ends their making. */
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
    // Nothing is made before somebody reads: the answer to HEAD has no body.
    { highWaterMark: 0 },
  );
}

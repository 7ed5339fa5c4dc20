const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\nContent-Length: (\d+)/i;

/** Finds the ends of the answers on one connection: HTTP/1.1 with a Content-Length, one answer at a time. */
export class ResponseReader {
  #received: Buffer | undefined;

  /** Takes what has arrived. Gives the status once the answer is whole. @throws when it is not such an answer */
  push(chunk: Buffer): number | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf(HEAD_END);
    if (end === -1) return undefined;
    const head = received.toString("latin1", 0, end);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`The answer has no Content-Length:\n${head}`);
    if (received.length < end + HEAD_END.length + Number(length)) return undefined;
    this.#received = undefined;
    return Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  }
}

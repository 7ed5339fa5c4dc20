const HEAD_END = "\r\n\r\n";
const LENGTH = /\r\nContent-Length: (\d+)/i;

/** Finds the end of each response on a connection: HTTP/1.1 with Content-Length, one response at a time. */
export class ResponseReader {
  #received: Buffer | undefined;

  /** Adds received bytes. Returns the status when the response is complete. @throws when it has no Content-Length */
  push(chunk: Buffer): number | undefined {
    const received = this.#received === undefined ? chunk : Buffer.concat([this.#received, chunk]);
    this.#received = received;
    const end = received.indexOf(HEAD_END);
    if (end === -1) return undefined;
    const head = received.toString("latin1", 0, end);
    const length = LENGTH.exec(head)?.[1];
    if (length === undefined) throw new Error(`The response has no Content-Length:\n${head}`);
    if (received.length < end + HEAD_END.length + Number(length)) return undefined;
    this.#received = undefined;
    return Number(head.slice("HTTP/1.1 ".length, "HTTP/1.1 200".length));
  }
}

import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** An answer as it came over the wire. Header names are found in any case; the body is Latin-1. */
export type WireAnswer = { status: number; headers: Headers; body: string };

/** What became of a connection: every whole answer on it, and whether the other end closed it. */
export type Outcome = { answers: WireAnswer[]; isClosed: boolean };

/** A plain TCP connection to the service, on which a test writes whatever bytes it likes. */
export class Connection {
  readonly #socket: Socket;
  #received = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#received += text;
    });
    // A reset is one way to close a connection: tests ask `isClosed`.
    socket.on("error", () => {});
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    // With allowHalfOpen our side stays open until a test ends it.
    const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
    await once(socket, "connect");
    return new Connection(socket);
  }

  get isClosed(): boolean {
    return this.#socket.readableEnded || this.#socket.destroyed;
  }

  /** Every whole answer so far. What follows them is not counted. */
  get answers(): WireAnswer[] {
    return parseAnswers(this.#received);
  }

  send(bytes: string | Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Tells the other end that nothing more will be sent, and goes on reading. */
  endSending(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resolves once `count` answers are there or the other end has closed. @throws after `within` ms */
  async untilAnswered(count: number, within: number): Promise<Outcome> {
    await this.#until(() => this.answers.length >= count, within, `${count} answers`);
    return this.#outcome();
  }

  /** Resolves once the other end has closed. @throws after `within` ms */
  async untilClosed(within: number): Promise<Outcome> {
    await this.#until(() => false, within, "the end of the connection");
    return this.#outcome();
  }

  /** Resolves once the other end has closed, or has sent nothing for `quiet` ms. */
  async untilQuiet(quiet: number): Promise<Outcome> {
    let size = -1;
    while (!this.isClosed && size !== this.#received.length) {
      size = this.#received.length;
      await this.#change(quiet);
    }
    return this.#outcome();
  }

  #outcome(): Outcome {
    return { answers: this.answers, isClosed: this.isClosed };
  }

  async #until(isThere: () => boolean, within: number, what: string): Promise<void> {
    const deadline = performance.now() + within;
    while (!isThere() && !this.isClosed) {
      const left = deadline - performance.now();
      if (left <= 0) throw new Error(`waited ${within} ms for ${what}; came so far: ${JSON.stringify(this.#received)}`);
      await this.#change(left);
    }
  }

  /** Resolves when something comes or the connection closes, at the latest after `within` ms. */
  #change(within: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(late);
        for (const event of ["data", "end", "close"]) this.#socket.off(event, done);
        resolve();
      };
      const late = setTimeout(done, within);
      for (const event of ["data", "end", "close"]) this.#socket.on(event, done);
    });
  }
}

/** The answers that a stream of HTTP/1.1 holds. Interim ones (1xx) count. @throws for what is no HTTP */
function parseAnswers(text: string): WireAnswer[] {
  const answers: WireAnswer[] = [];
  let at = 0;
  for (;;) {
    const end = text.indexOf("\r\n\r\n", at);
    if (end === -1) return answers;
    const [statusLine = "", ...lines] = text.slice(at, end).split("\r\n");
    const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(statusLine)?.[1];
    if (status === undefined) throw new Error(`this is no HTTP answer: ${JSON.stringify(text.slice(at, at + 200))}`);
    const headers = new Headers(lines.map((line): [string, string] => splitHeader(line)));
    const length = Number(headers.get("Content-Length") ?? 0);
    if (text.length < end + 4 + length) return answers;
    at = end + 4 + length;
    answers.push({ status: Number(status), headers, body: text.slice(end + 4, at) });
  }
}

function splitHeader(line: string): [string, string] {
  const colon = line.indexOf(":");
  return [line.slice(0, colon), line.slice(colon + 1).trim()];
}

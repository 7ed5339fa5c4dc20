import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { parseAnswers, type WireAnswer } from "./wire.ts";

/** The outcome of a connection: its complete responses, and whether the peer closed it. */
export type Outcome = { answers: WireAnswer[]; isClosed: boolean };

/** A plain TCP connection to the service, on which a test writes any bytes. */
export class Connection {
  readonly #socket: Socket;
  #received = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1");
    socket.on("data", (text: string) => {
      this.#received += text;
    });
    // A reset is one way to close a connection: tests use `isClosed`.
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

  /** All bytes so far, in Latin-1. */
  get received(): string {
    return this.#received;
  }

  /** The complete responses so far, read as those to requests other than HEAD. */
  get answers(): WireAnswer[] {
    return parseAnswers(this.#received, "GET", this.isClosed).answers;
  }

  /** Sends these bytes; a text is Latin-1. */
  send(bytes: string | Uint8Array): void {
    if (this.#socket.writable) this.#socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  }

  /** Ends the sending side, and continues to read. */
  endSending(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.destroy();
  }

  /** Resets the connection, so that data in transit is lost. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /**
   * Sends a complete request on an idle connection, and returns its final response; undefined
   * if the peer closes without one. @throws after `within` ms, and for more than one response
   */
  async ask(method: string, bytes: string | Uint8Array, within: number): Promise<WireAnswer | undefined> {
    this.#received = "";
    this.send(bytes);
    const final = () =>
      parseAnswers(this.#received, method, this.isClosed).answers.filter(({ status }) => status >= 200);
    await this.#until(() => final().length > 0, within, "an answer");
    const [answer, ...more] = final();
    const { rest } = parseAnswers(this.#received, method, this.isClosed);
    if (more.length > 0 || rest !== "") throw new Error(`more than one response: ${JSON.stringify(this.#received)}`);
    return answer;
  }

  /** Resolves when `count` responses have arrived or the peer has closed. @throws after `within` ms */
  async untilAnswered(count: number, within: number): Promise<Outcome> {
    await this.#until(() => this.answers.length >= count, within, `${count} answers`);
    return this.#outcome();
  }

  /** Resolves when the peer has closed. @throws after `within` ms */
  async untilClosed(within: number): Promise<Outcome> {
    await this.#until(() => false, within, "the end of the connection");
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

  /** Resolves when data arrives or the connection closes, at the latest after `within` ms. */
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

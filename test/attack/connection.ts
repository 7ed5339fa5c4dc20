import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { parseAnswers, type WireAnswer } from "./wire.ts";

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

  /** Every whole answer so far, as to requests other than HEAD. What follows them is not counted. */
  get answers(): WireAnswer[] {
    return parseAnswers(this.#received, "GET").answers;
  }

  /** Sends these bytes; a text is Latin-1. */
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

  /** Closes it the hard way, so that whatever is on its way is lost. */
  reset(): void {
    this.#socket.resetAndDestroy();
  }

  /**
   * Sends one whole request on a connection that has nothing else to answer, and gives its final answer; undefined
   * when the other end closes without one. @throws after `within` ms, and when more than one answer comes
   */
  async ask(method: string, bytes: string | Uint8Array, within: number): Promise<WireAnswer | undefined> {
    this.#received = "";
    this.send(bytes);
    const final = () => parseAnswers(this.#received, method).answers.filter(({ status }) => status >= 200);
    await this.#until(() => final().length > 0, within, "an answer");
    const [answer, ...more] = final();
    const { rest } = parseAnswers(this.#received, method);
    if (more.length > 0 || rest !== "") throw new Error(`more came than one answer: ${JSON.stringify(this.#received)}`);
    return answer;
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

import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A response on a raw connection. Header names are in lower case, as in Headers. */
export type RawAnswer = { status: number; headers: Headers; body: string };

/** A connection for raw requests. */
export class RawSocket {
  readonly #socket: Socket;
  readonly #ended: Promise<unknown>;
  #received = "";

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("latin1").on("data", (text: string) => {
      this.#received += text;
    });
    socket.on("error", () => {});
    this.#ended = once(socket, "close");
  }

  static async open(url: string): Promise<RawSocket> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await once(socket, "connect");
    return new RawSocket(socket);
  }

  send(bytes: string | Uint8Array): void {
    this.#socket.write(bytes);
  }

  close(): void {
    this.#socket.destroy();
  }

  /** The first response, when the peer has closed the connection. */
  async answer(): Promise<RawAnswer> {
    await this.#ended;
    return parse(this.#received);
  }
}

/** Sends a request, which must have `Connection: close`, and returns its response. */
export async function sendRaw(url: string, request: string): Promise<RawAnswer> {
  const socket = await RawSocket.open(url);
  socket.send(request);
  return socket.answer();
}

function parse(text: string): RawAnswer {
  const end = text.indexOf("\r\n\r\n");
  const [statusLine = "", ...lines] = text.slice(0, end).split("\r\n");
  const headers = new Headers(
    lines.map((line): [string, string] => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return { status: Number(statusLine.split(" ")[1]), headers, body: text.slice(end + 4) };
}

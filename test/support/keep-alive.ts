import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A raw response. `head` is its status line and headers. */
export type Answer = { status: number; head: string; body: string };

/** The connection ended before the response was complete. `received` is the part that arrived. */
export class ConnectionLost extends Error {
  readonly received: string;

  constructor(received: string) {
    super(`the connection ended; received so far: ${JSON.stringify(received)}`);
    this.received = received;
  }
}

/**
 * A client's connection for consecutive requests. It uses a socket, because HTTP clients may retry a request by
 * themselves.
 */
export class KeepAliveConnection {
  readonly #socket: Socket;
  #received = "";
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setEncoding("utf8").on("data", (text: string) => {
      this.#received += text;
      this.#wake();
    });
    socket.on("error", () => {}).on("close", () => this.#wake());
  }

  /** @throws when nobody listens there */
  static async open(url: string): Promise<KeepAliveConnection> {
    const { hostname, port } = new URL(url);
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    await once(socket, "connect");
    return new KeepAliveConnection(socket);
  }

  /** Sends a request and returns its response. @throws ConnectionLost */
  request(text: string): Promise<Answer> {
    this.send(text);
    return this.answer();
  }

  send(text: string): void {
    if (this.#socket.writable) this.#socket.write(text);
  }

  /** Resolves with the next complete response. @throws ConnectionLost */
  async answer(): Promise<Answer> {
    for (;;) {
      const answer = this.#take();
      if (answer !== undefined) return answer;
      if (this.#socket.closed) throw new ConnectionLost(this.#received);
      await this.#event();
    }
  }

  /** Resolves when the peer has closed the connection. */
  async closed(): Promise<void> {
    while (!this.#socket.closed) await this.#event();
  }

  /** Whether a request can still be sent on it. */
  get isOpen(): boolean {
    return this.#socket.writable;
  }

  close(): void {
    this.#socket.destroy();
  }

  #event(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #take(): Answer | undefined {
    const end = this.#received.indexOf("\r\n\r\n");
    if (end === -1) return undefined;
    const head = this.#received.slice(0, end);
    const status = Number(head.slice("HTTP/1.1 ".length, 12));
    const length = status === 204 || status === 304 ? "0" : /^content-length: *(\d+)\r?$/im.exec(head)?.[1];
    if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`);
    const rest = this.#received.slice(end + 4);
    // Content-Length counts bytes; bodies here are mostly ASCII, so comparing lengths mostly suffices.
    if (rest.length < Number(length) && Buffer.byteLength(rest) < Number(length)) return undefined;
    const body = rest.length === Number(length) ? rest : Buffer.from(rest).subarray(0, Number(length)).toString();
    this.#received = rest.slice(body.length);
    return { status, head, body };
  }
}

/** Whether the response has `Connection: close`. */
export function asksToClose({ head }: Answer): boolean {
  return /^connection: *close\r?$/im.test(head);
}

/** A request in HTTP/1.1, with this key, further headers, and a JSON body if there is one. */
export function requestText(
  method: string,
  path: string,
  secret: string,
  body?: string,
  headers: Record<string, string> = {},
): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const entity =
    body === undefined
      ? "\r\n"
      : `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  return `${method} ${path} HTTP/1.1\r\nHost: petstore.test\r\nAuthorization: Bearer ${secret}\r\n${lines.join("")}${entity}`;
}

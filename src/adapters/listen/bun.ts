import { getSystemErrorMap } from "node:util";
import type { HttpConnection, Socket } from "./connection.ts";
import { type Listen, listenOn } from "./listener.ts";

/** Bun's types leave these out. */
type BunSocket = Bun.Socket<Accepted> & { pause(): void; resume(): void };

/** A socket of Bun. It takes a part of what is written: the rest is kept until it takes more. */
class Accepted implements Socket {
  connection: HttpConnection | undefined;
  readonly address: string;
  readonly #socket: BunSocket;
  #unsent: Uint8Array[] = [];
  #isEnding = false;
  #hasClientEnded = false;

  constructor(socket: Bun.Socket<Accepted>) {
    this.#socket = socket as BunSocket;
    this.address = socket.remoteAddress;
  }

  write(data: string | Uint8Array): boolean {
    if (this.#unsent.length > 0) {
      this.#unsent.push(Buffer.from(data));
      return false;
    }
    const written = this.#socket.write(data);
    // It is negative once the connection is closed.
    if (written < 0 || written >= Buffer.byteLength(data)) return true;
    this.#unsent.push(Buffer.from(data).subarray(written));
    return false;
  }

  end(): void {
    this.#isEnding = true;
    if (this.#unsent.length > 0) return;
    if (this.#hasClientEnded) this.#socket.end();
    else this.#socket.shutdown();
  }

  destroy(): void {
    this.#unsent = [];
    this.#socket.end();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  drain(): void {
    const unsent = this.#unsent;
    // Bun also calls it when nothing waits.
    if (unsent.length === 0) return;
    this.#unsent = [];
    while (unsent.length > 0) {
      if (!this.write(unsent.shift() ?? "")) break;
    }
    this.#unsent.push(...unsent);
    if (this.#unsent.length > 0) return;
    if (this.#isEnding) this.end();
    this.connection?.drained();
  }

  clientEnded(): void {
    this.#hasClientEnded = true;
    if (this.#isEnding && this.#unsent.length === 0) this.#socket.end();
    else this.connection?.ended();
  }
}

/** Gives an error the message that Node has for it: Bun's leaves out the reason. */
function explained(error: unknown, place: string): unknown {
  if (!(error instanceof Error && "errno" in error && typeof error.errno === "number")) return error;
  const [code = "", reason = ""] = getSystemErrorMap().get(-error.errno) ?? [];
  error.message = `listen ${code}: ${reason} ${place}`;
  return error;
}

export const listen: Listen = listenOn(({ host, port, isShared }, accept) => {
  const options: Bun.TCPSocketListenOptions<Accepted> & { reusePort: boolean } = {
    hostname: host,
    port,
    reusePort: isShared,
    // A client that ends its side still gets the responses to its requests.
    allowHalfOpen: true,
    socket: {
      open(socket) {
        socket.data = new Accepted(socket);
        socket.data.connection = accept(socket.data);
      },
      data: ({ data: { connection } }, bytes) => connection?.received(bytes),
      drain: ({ data }) => data.drain(),
      end: ({ data }) => data.clientEnded(),
      // `close` follows.
      error: () => {},
      close: ({ data: { connection } }) => connection?.closed(),
    },
  };
  try {
    const server = Bun.listen(options);
    return { port: server.port, close: () => server.stop(false) };
  } catch (error) {
    throw explained(error, `${host}:${port}`);
  }
});

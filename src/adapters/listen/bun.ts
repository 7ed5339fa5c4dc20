import { getSystemErrorMap } from "node:util";
import type { HttpConnection, Socket } from "./connection.ts";
import { type Listen, listenOn } from "./listener.ts";

/** Bun's types leave these out. */
type BunSocket = Bun.Socket<Accepted> & { pause(): void; resume(): void };

/** Where responses are put together: a new string for each of them would be garbage of its size. */
const output = Buffer.allocUnsafeSlow(64 * 1024);

/** The most bytes that a character of a string takes in UTF-8. */
const MOST_BYTES = 3;

/** The bytes of both, which are overwritten by the next ones, and how many they are. To count them first takes as long again. */
function joined(data: string | Uint8Array, more: string | Uint8Array): { bytes: Uint8Array; length: number } {
  if (typeof data !== "string" && more.length === 0) return { bytes: data, length: data.length };
  const fits = MOST_BYTES * (data.length + more.length) <= output.length;
  const bytes = fits ? output : Buffer.allocUnsafe(Buffer.byteLength(data) + Buffer.byteLength(more));
  return { bytes, length: put(more, bytes, put(data, bytes, 0)) };
}

/** Returns where the data ends. */
function put(data: string | Uint8Array, bytes: Buffer, start: number): number {
  if (typeof data === "string") return start + bytes.write(data, start);
  bytes.set(data, start);
  return start + data.length;
}

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

  write(data: string | Uint8Array, more: string | Uint8Array = ""): boolean {
    // A file or page that is kept anyway is sent from where it is: a copy for each response would be garbage of its size.
    if (typeof more !== "string" && more.length > output.length / 2) {
      this.write(data);
      return this.write(more);
    }
    const { bytes, length } = joined(data, more);
    // It is negative once the connection is closed.
    const written = this.#unsent.length > 0 ? 0 : this.#socket.write(bytes, 0, length);
    if (written < 0 || written >= length) return true;
    const rest = bytes.subarray(written, length);
    this.#unsent.push(bytes === output ? Buffer.from(rest) : rest);
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

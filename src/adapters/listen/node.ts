import { once } from "node:events";
import { type AddressInfo, createServer, type Socket as NodeSocket } from "node:net";
import type { Socket } from "./connection.ts";
import { type Listen, listenOn } from "./listener.ts";

/** A socket of Node. */
class Accepted implements Socket {
  readonly address: string;
  readonly #socket: NodeSocket;

  constructor(socket: NodeSocket) {
    this.#socket = socket;
    this.address = socket.remoteAddress ?? "";
  }

  write(data: string | Uint8Array, more: string | Uint8Array = ""): boolean {
    const isText = typeof data === "string" && typeof more === "string";
    const all = isText ? data + more : Buffer.concat([Buffer.from(data), Buffer.from(more)]);
    // After the client has gone there is nobody to wait for.
    return this.#socket.write(all) || !this.#socket.writable;
  }

  end(): void {
    this.#socket.end();
  }

  destroy(): void {
    this.#socket.destroy();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }
}

export const listen: Listen = listenOn(async ({ host, port, isShared }, accept) => {
  // A client that ends its side still gets the responses to its requests.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const connection = accept(new Accepted(socket));
    socket
      .on("data", (bytes: Buffer) => connection?.received(bytes))
      .on("drain", () => connection?.drained())
      .on("end", () => connection?.ended())
      // `close` follows.
      .on("error", () => {})
      .on("close", () => connection?.closed());
  });
  server.listen({ port, host, reusePort: isShared });
  await once(server, "listening");
  const { port: actualPort } = server.address() as AddressInfo;
  return { port: actualPort, close: () => server.close() };
});

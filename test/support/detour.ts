import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A TCP proxy to a server on this machine, which can delay or hold bytes. */
export class Detour {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  /** The delay in each direction, in ms. */
  delay = 0;
  /** The connections so far. */
  connections = 0;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (socket) => {
      this.connections += 1;
      const other = connect(target, "127.0.0.1");
      this.#pass(socket, other);
      this.#pass(other, socket);
    });
  }

  static async to(port: number): Promise<Detour> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    return new Detour(server, port);
  }

  /** Holds all bytes, as when a cable is unplugged: connections stay open, because neither side notices. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** Passes on all held bytes, as TCP does. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Ends all connections, and accepts no more. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    const later = (what: () => void) => (this.delay === 0 ? what() : setTimeout(what, this.delay));
    from.on("data", (bytes) => later(() => to.write(bytes)));
    from.on("end", () => later(() => to.end()));
    from.on("error", () => to.destroy());
    from.on("close", () => this.#sockets.delete(from));
    if (this.#isCut) from.pause();
  }
}

import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A way to a server on this machine, on which packets can be late, or get lost. */
export class Detour {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** How long every packet takes, in ms. */
  delay = 0;
  /** Whether packets are lost: connections stay, and nothing comes through. */
  isCut = false;

  private constructor(server: Server, target: number) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
    server.on("connection", (socket) => {
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

  /** Ends every connection through it, and takes no more. */
  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #pass(from: Socket, to: Socket): void {
    this.#sockets.add(from);
    const later = (what: () => void) => {
      if (this.isCut) return;
      if (this.delay === 0) what();
      else setTimeout(() => !this.isCut && what(), this.delay);
    };
    from.on("data", (bytes) => later(() => to.write(bytes)));
    from.on("end", () => later(() => to.end()));
    from.on("error", () => to.destroy());
    from.on("close", () => this.#sockets.delete(from));
  }
}

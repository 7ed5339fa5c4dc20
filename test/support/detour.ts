import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** A way to a server on this machine, on which bytes can be late, or get stuck. */
export class Detour {
  readonly port: number;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;
  /** How long everything takes in either direction, in ms. */
  delay = 0;

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

  /** From now on nothing comes through, as when a cable is pulled: connections stay, for neither side can tell. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was sent meanwhile arrives now, as TCP has it. */
  mend(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  /** Ends every connection through it, and takes no more. */
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

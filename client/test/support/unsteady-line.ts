import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** A TCP proxy that cuts some of its connections, each after a random number of bytes, counted in both directions. */
export class UnsteadyLine {
  readonly port: number;
  /** The number of connections, and of cut connections. */
  connections = 0;
  cuts = 0;
  readonly #server;

  private constructor(server: ReturnType<typeof createServer>) {
    this.#server = server;
    this.port = (server.address() as AddressInfo).port;
  }

  /** One connection in `oneIn` is cut, somewhere within its first `bytes`. */
  static async to(target: number, oneIn: number, bytes: number): Promise<UnsteadyLine> {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const line = new UnsteadyLine(server);
    server.on("connection", (near) => {
      line.connections += 1;
      const isBad = Math.random() * oneIn < 1;
      line.#join(near, connect(target, "127.0.0.1"), isBad ? Math.random() * bytes : Number.POSITIVE_INFINITY);
    });
    return line;
  }

  #join(near: Socket, far: Socket, allowance: number): void {
    let left = Math.floor(allowance);
    const pass = (from: Socket, to: Socket) => {
      from.on("data", (bytes: Buffer) => {
        if (to.destroyed) return;
        const passed = bytes.subarray(0, left);
        left -= bytes.length;
        if (left > 0) return to.write(passed);
        this.cuts += 1;
        // Bytes before the cut still arrive, but nothing after it, in either direction.
        to.write(passed, () => {
          near.destroy();
          far.destroy();
        });
      });
      from.on("end", () => to.end());
      from.on("error", () => to.destroy());
      from.on("close", () => to.destroy());
    };
    pass(near, far);
    pass(far, near);
  }

  close(): void {
    this.#server.close();
  }
}

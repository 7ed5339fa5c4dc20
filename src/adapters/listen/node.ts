import { once } from "node:events";
import { type AddressInfo, createServer, type Socket as NodeSocket } from "node:net";
import type { Socket } from "./connection.ts";
import { type Listen, listenOn } from "./listener.ts";

/** A socket of Node. */
function accepted(socket: NodeSocket): Socket {
  return {
    address: socket.remoteAddress ?? "",
    write(data, more = "") {
      const isText = typeof data === "string" && typeof more === "string";
      const all = isText ? data + more : Buffer.concat([Buffer.from(data), Buffer.from(more)]);
      // After the client has gone there is nobody to wait for.
      return socket.write(all) || !socket.writable;
    },
    end: () => void socket.end(),
    destroy: () => void socket.destroy(),
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
  };
}

export const listen: Listen = listenOn(async ({ host, port, isShared }, accept) => {
  // A client that ends its side still gets the responses to its requests.
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) => {
    const connection = accept(accepted(socket));
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

import { once } from "node:events";
import type { Server } from "node:http";
import { type AddressInfo, Server as SocketServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createAdaptorServer } from "@hono/node-server";
import { Gate } from "./gate.ts";
import type { Listen } from "./listener.ts";

/** In ms. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 15_000;
const IDLE_TIMEOUT = 10_000;
/** How long a connection may be idle when the listening socket is closed, in ms. */
const IDLE_GRACE = 500;
/** How often the listener closes idle connections while it stops, in ms; each time after it has read what arrived. */
const POLL_INTERVAL = 100;

export const listen: Listen = async (app, { host, port, isShared, requestTimeout = REQUEST_TIMEOUT }) => {
  const gate = new Gate();
  const respond = gate.guard(app);
  const server = createAdaptorServer({
    // For requests without Host, which HTTP/1.0 allows.
    hostname: "localhost",
    fetch: (request, { incoming }) => respond(request, () => incoming.socket.remoteAddress ?? ""),
    serverOptions: { connectionsCheckingInterval: 1_000 },
  }) as Server;
  server.headersTimeout = HEADERS_TIMEOUT;
  server.requestTimeout = requestTimeout;
  server.keepAliveTimeout = IDLE_TIMEOUT;
  server.listen({ port, host, reusePort: isShared });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop(timeout) {
      const deadline = setTimeout(() => server.closeAllConnections(), timeout);
      const closed = once(server, "close");
      // Not http's own close, which also closes idle connections: a request may be on its way on a new one.
      await gate.closeQuietly(() => SocketServer.prototype.close.call(server));
      await pause(IDLE_GRACE);
      const poll = setInterval(() => setImmediate(() => server.closeIdleConnections()), POLL_INTERVAL);
      await closed;
      clearInterval(poll);
      clearTimeout(deadline);
    },
  };
};

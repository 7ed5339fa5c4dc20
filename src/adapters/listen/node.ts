import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Listen } from "./listener.ts";

/** In ms. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 15_000;
const IDLE_TIMEOUT = 10_000;
/** How often the listener closes idle connections while it stops, in ms. */
const POLL_INTERVAL = 100;

export const listen: Listen = async (app, { host, port, isShared, requestTimeout = REQUEST_TIMEOUT }) => {
  const server = createAdaptorServer({
    // For requests without Host, which HTTP/1.0 allows.
    hostname: "localhost",
    fetch: (request, { incoming }) => app(request, () => incoming.socket.remoteAddress ?? ""),
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
      // close() closes only the connections that are idle now.
      const poll = setInterval(() => server.closeIdleConnections(), POLL_INTERVAL);
      const closed = once(server, "close");
      server.close();
      await closed;
      clearInterval(poll);
      clearTimeout(deadline);
    },
  };
};

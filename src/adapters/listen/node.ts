import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createAdaptorServer } from "@hono/node-server";
import type { Listen } from "./listener.ts";

/** How long headers, a whole request, and a connection without traffic may take, in ms. */
const HEADERS = 10_000;
const REQUEST = 15_000;
const IDLE = 10_000;
/** While stopping: how often it is looked for connections that have become idle, in ms. */
const LOOK_EVERY = 100;

export const listen: Listen = async (app, { host, port, isShared, longestRequest = REQUEST }) => {
  const server = createAdaptorServer({
    // For requests without Host, as HTTP/1.0 allows.
    hostname: "localhost",
    fetch: (request, { incoming }) => app(request, () => incoming.socket.remoteAddress ?? ""),
    serverOptions: { connectionsCheckingInterval: 1_000 },
  }) as Server;
  server.headersTimeout = HEADERS;
  server.requestTimeout = longestRequest;
  server.keepAliveTimeout = IDLE;
  server.listen({ port, host, reusePort: isShared });
  await once(server, "listening");
  return {
    port: (server.address() as AddressInfo).port,
    async stop(patience) {
      const late = setTimeout(() => server.closeAllConnections(), patience);
      // Node closes those that are idle now; those that are busy become idle later.
      const idle = setInterval(() => server.closeIdleConnections(), LOOK_EVERY);
      const closed = once(server, "close");
      server.close();
      await closed;
      clearInterval(idle);
      clearTimeout(late);
    },
  };
};

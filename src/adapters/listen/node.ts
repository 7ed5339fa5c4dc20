import { type EventEmitter, once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import { type AddressInfo, type Socket, Server as SocketServer } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Answer, Connection } from "../http/app.ts";
import { malformedResponse } from "../http/malformed.ts";
import { Gate } from "./gate.ts";
import { IncomingHead } from "./incoming-head.ts";
import type { Listen } from "./listener.ts";
import { answerMalformed, isMalformed } from "./malformed.ts";
import { Pipelines } from "./pipelines.ts";

/** In ms. */
const HEADERS_TIMEOUT = 10_000;
const REQUEST_TIMEOUT = 15_000;
const IDLE_TIMEOUT = 10_000;
/** The host in the URLs of requests. A Host that is missing or invalid changes nothing; the app reads the header itself. */
const HOST = "localhost";
/** How long a connection may be idle when the listening socket is closed, in ms. */
const IDLE_GRACE = 500;
/** How often the listener closes idle connections while it stops, in ms; each time after it has read what arrived. */
const POLL_INTERVAL = 100;

export const listen: Listen = async (appOn, { host, port, isShared, requestTimeout = REQUEST_TIMEOUT }) => {
  const gate = new Gate();
  const pipelines = new Pipelines();
  // The app never throws: only targets that no URL can have do.
  const refuse = () => malformedResponse("syntax");
  const respondToIncoming = getRequestListener(
    (request, { incoming, outgoing }) => respond(request, new NodeConnection(incoming, outgoing)),
    { hostname: HOST, errorHandler: refuse },
  );
  const refuseIncoming = getRequestListener(refuse, { hostname: HOST });
  const options = { connectionsCheckingInterval: 1_000, requireHostHeader: false };
  const server = createServer(options, (incoming, outgoing) => {
    if (!pipelines.admits(incoming, outgoing)) return;
    const answer = respond.respondAtOnce?.(new IncomingHead(incoming, HOST));
    if (answer !== undefined) return writeAnswer(outgoing, answer);
    const listener = isMalformed(incoming) ? refuseIncoming : respondToIncoming;
    incoming.headers.host = HOST;
    return listener(incoming, outgoing);
  });
  answerMalformed(server);
  server.headersTimeout = HEADERS_TIMEOUT;
  server.requestTimeout = requestTimeout;
  server.keepAliveTimeout = IDLE_TIMEOUT;
  server.listen({ port, host, reusePort: isShared });
  await once(server, "listening");
  const { port: actualPort } = server.address() as AddressInfo;
  // No request arrives before the next turn of the event loop.
  const respond = gate.guard(appOn(actualPort));
  return {
    port: actualPort,
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
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** Writes an answer as the adapter writes a response. */
function writeAnswer(outgoing: ServerResponse, { status, headers, body }: Answer): void {
  if (body !== null) headers["Content-Length"] = String(Buffer.byteLength(body));
  outgoing.writeHead(status, headers).end(body);
}

type Incoming = { socket: Socket };
/** Its socket is null while it waits behind other responses. */
type Outgoing = EventEmitter & { socket: Socket | null };

class NodeConnection implements Connection {
  readonly #incoming: Incoming;
  readonly #outgoing: Outgoing;

  constructor(incoming: Incoming, outgoing: Outgoing) {
    this.#incoming = incoming;
    this.#outgoing = outgoing;
  }

  address(): string {
    return this.#incoming.socket.remoteAddress ?? "";
  }

  /** A request that has arrived may wait for its response without end. */
  allowPause(): void {}

  async cut(): Promise<Response> {
    const { socket } = this.#incoming;
    // The socket belongs to the responses that are due before, one after the other.
    if (this.#outgoing.socket === null) await Promise.race([once(this.#outgoing, "socket"), once(socket, "close")]);
    socket.destroySoon();
    return RESPONSE_ALREADY_SENT;
  }
}

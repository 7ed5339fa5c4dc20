import { type EventEmitter, once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import { type AddressInfo, type Socket, Server as SocketServer } from "node:net";
import type { Duplex } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { getRequestListener } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Answer, Connection, RequestHead } from "../http/app.ts";
import { type Malformation, malformedResponse } from "../http/malformed.ts";
import { Gate, type Listen } from "./listener.ts";

/**
 * The head of a request as Node's parser has it. Its `Request` would take 1 µs, and the objects that Node and the adapter make
 * of its headers another 4 µs.
 */
export class IncomingHead implements RequestHead {
  readonly #incoming: IncomingMessage;
  readonly #origin: string;

  /** `host`: of the URL; the header Host changes nothing. */
  constructor(incoming: IncomingMessage, host: string) {
    this.#incoming = incoming;
    this.#origin = `http://${host}`;
  }

  get method(): string {
    return this.#incoming.method ?? "";
  }

  get url(): string {
    return this.#origin + this.#incoming.url;
  }

  get headers(): this {
    return this;
  }

  /** Returns a header as `Headers` does: the values of several with one name are joined. */
  get(name: string): string | null {
    const names = this.#incoming.rawHeaders;
    let found: string | null = null;
    // Names and values take turns.
    for (let i = 0; i < names.length; i += 2) {
      const each = names[i] ?? "";
      if (each.length !== name.length || each.toLowerCase() !== name.toLowerCase()) continue;
      const value = names[i + 1] ?? "";
      found = found === null ? value : `${found}, ${value}`;
    }
    return found;
  }
}

/** How long a client that is still sending has to read the refusal, in ms. */
const GRACE_PERIOD = 200;

/** The rest of a request line behind the byte at which the parser gave up its method. */
const REQUEST_LINE = /^[!#$%&'*+.^_`|~\w-]* \S+ HTTP\/1\.[01]\r\n/;

/** Node's `clientError`. The parser's own have the bytes, and the place where it stopped. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer; bytesParsed?: number };

/** Whether the headers alone make a request malformed, though Node's parser accepts it (RFC 9112, 3.2 and 6.1). */
export function isMalformed({ httpVersion, headers }: IncomingMessage): boolean {
  return httpVersion === "1.1" ? headers.host === undefined : headers["transfer-encoding"] !== undefined;
}

/** Has a server of Node answer what its parser refuses with the error body, behind the responses that are due before. */
export function answerMalformed(server: Server): void {
  const latest = new WeakMap<Duplex, ServerResponse>();
  const refused = new WeakSet<Duplex>();
  server.prependListener("request", (request: IncomingMessage, response: ServerResponse) => {
    latest.set(request.socket, response);
  });
  server.on("clientError", async (error: ClientError, socket) => {
    // Every further chunk is an error too.
    if (refused.has(socket)) return;
    refused.add(socket);
    const response = latest.get(socket);
    if (response === undefined || response.req.complete) {
      if (response?.writableFinished === false) await once(response, "close");
      await end(socket, malformedResponse(malformationOf(error)));
    } else {
      // The body is malformed. The response is due once those before it are sent, which gives it the socket.
      if (response.socket === null) await once(response, "socket");
      await end(socket, response.headersSent ? undefined : malformedResponse("body"));
    }
  });
  server.on("connect", (_, socket) => end(socket, malformedResponse("method")));
  // An unknown Expect is ignored; Node would answer 417.
  server.on("checkExpectation", (request, response) => server.emit("request", request, response));
}

function malformationOf({ code, rawPacket, bytesParsed }: ClientError): Malformation {
  if (code === "HPE_HEADER_OVERFLOW") return "headers";
  if (code === "ERR_HTTP_REQUEST_TIMEOUT") return "timeout";
  const isMethod = code === "HPE_INVALID_METHOD" && REQUEST_LINE.test(rawPacket?.toString("latin1", bytesParsed) ?? "");
  return isMethod ? "method" : "syntax";
}

/** Sends a response, and closes the connection a little later: closing it while data arrives would lose the response. */
async function end(socket: Duplex, response: Response | undefined): Promise<void> {
  if (response !== undefined && socket.writable) socket.write(await textOf(response));
  socket.end();
  setTimeout(() => socket.destroy(), GRACE_PERIOD);
}

async function textOf(response: Response): Promise<string> {
  const body = await response.text();
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  const date = `Date: ${new Date().toUTCString()}\r\n`;
  const statusLine = `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}\r\n`;
  return `${statusLine}${headers}${date}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** How many requests may wait behind another one on its connection. */
const MAX_WAITING = 100;

/**
 * Limits how many requests wait on a connection for the response before theirs (pipelining, RFC 9112, 9.3.2). Node hands over
 * all that it has read, 1,800 short requests at once, and works on them even when the client has gone.
 */
export class Pipelines {
  readonly #waiting = new WeakMap<Socket, number>();

  /** Whether a request may be handled. If it may not, its connection has ended, possibly right now. */
  admits({ socket }: IncomingMessage, response: ServerResponse): boolean {
    // The response has the socket unless it waits.
    if (response.socket !== null) return true;
    if (socket.destroyed) return false;
    const waiting = this.#waiting.get(socket) ?? 0;
    if (waiting === MAX_WAITING) {
      socket.destroy();
      return false;
    }
    this.#waiting.set(socket, waiting + 1);
    response.once("close", () => this.#waiting.set(socket, (this.#waiting.get(socket) ?? 0) - 1));
    return true;
  }
}

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

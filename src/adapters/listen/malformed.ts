import { once } from "node:events";
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type Malformation, malformedResponse } from "../http/malformed.ts";

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

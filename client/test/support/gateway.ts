import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Handles a request: returns true if it responded itself, false to forward the request. */
type Whim = (answer: ServerResponse, count: number) => boolean;

/** Changes response headers, whose names are in lower case, as a proxy may do. */
type Change = (headers: IncomingHttpHeaders) => IncomingHttpHeaders;

/** An HTTP proxy in front of the service that sometimes responds itself, as a failing proxy does. */
export async function startGateway(port: number, whim: Whim, change: Change = (headers) => headers) {
  let count = 0;
  const arrivals: { at: number; headers: Record<string, unknown> }[] = [];
  const server = createServer((incoming, answer) => {
    arrivals.push({ at: performance.now(), headers: incoming.headers });
    count += 1;
    if (whim(answer, count)) return;
    const { method, url: path, headers } = incoming;
    const outgoing = request({ host: "127.0.0.1", port, method, path, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, change(response.headers));
      response.pipe(answer);
    });
    incoming.pipe(outgoing);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    arrivals,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

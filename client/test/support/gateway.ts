import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** What the gateway does with a request: refuses it (true when it has answered itself) or lets it through. */
type Whim = (answer: ServerResponse, count: number) => boolean;

/** Response headers by their names in lower case, as a proxy may release some out or change them. */
type Change = (headers: IncomingHttpHeaders) => IncomingHttpHeaders;

/** An HTTP proxy before the service that sometimes answers itself, as proxies do when they are in trouble. */
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

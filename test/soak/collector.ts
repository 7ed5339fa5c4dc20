import { once } from "node:events";
import { createServer } from "node:http";
import { freePort } from "../support/ports.ts";

/** A collector of traces that takes all and keeps none. */
export async function startCollector(): Promise<{ url: string } & AsyncDisposable> {
  const port = await freePort();
  const server = createServer((request, response) => {
    request.resume().once("end", () => response.writeHead(200).end());
  }).listen(port, "127.0.0.1");
  await once(server, "listening");
  const dispose = async () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: dispose };
}

import { once } from "node:events";
import { createServer } from "node:net";

/** Below those that systems give to connections and to servers that ask for any port: nobody else takes one meanwhile. Above those that browsers refuse. */
const FIRST = 12_000;
const LAST = 32_000;

/** A free port. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (LAST - FIRST));
    const server = createServer().listen(port, "127.0.0.1");
    try {
      await once(server, "listening");
    } catch {
      continue;
    }
    server.close();
    await once(server, "close");
    return port;
  }
}

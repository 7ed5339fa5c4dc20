import { Gate } from "./gate.ts";
import { KeptHeaders } from "./kept-headers.ts";
import type { Listen } from "./listener.ts";

/** Seconds after which a connection without traffic is closed. */
const IDLE_SECONDS = 10;
/** How often the listener checks for pending requests while it stops, in ms; idle connections have as long for another. */
const POLL_INTERVAL = 500;

export const listen: Listen = async (appOn, { host, port, isShared }) => {
  const gate = new Gate();
  const keptHeaders = new KeptHeaders();
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    // The app refuses large bodies itself: Bun's 413 would have neither our body nor our headers.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // With `development`, Bun 1.4 shares the port with any other process: each would get some of the connections.
    reusePort: isShared,
    fetch: (request, bun) => respond(withParsedUrl(request), () => bun.requestIP(request)?.address ?? ""),
  });
  const actualPort = server.port ?? port;
  // No request arrives before the next turn of the event loop.
  const respond = gate.guard(
    appOn(actualPort, (body, { status, headers }) => new Response(body, { status, headers: keptHeaders.of(headers) })),
  );
  return {
    port: actualPort,
    async stop(timeout) {
      const deadline = setTimeout(() => server.stop(true), timeout);
      let stopped: Promise<void> | undefined;
      await gate.closeQuietly(() => {
        stopped = server.stop();
      });
      // Bun 1.4 also waits for connections on which no request was ever sent.
      const closeIdle = () => server.pendingRequests === 0 && server.stop(true);
      const poll = setInterval(() => setImmediate(closeIdle), POLL_INTERVAL);
      await stopped;
      clearInterval(poll);
      clearTimeout(deadline);
    },
    close: () => server.stop(true),
  };
};

/** Dot segments, which a parsed URL does not contain. */
const DOT_SEGMENTS = /\/\.|%2e/i;

/**
 * Returns the request with a valid URL. If Host is missing, as HTTP/1.0 allows, or invalid, Bun's URL is only the path or
 * cannot be parsed. Bun does not remove dot segments either.
 */
function withParsedUrl(request: Request): Request {
  const { url } = request;
  if (!url.startsWith("/") && !DOT_SEGMENTS.test(url)) return request;
  const target = url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("://") + 3));
  // Given a request, the constructor of Bun 1.4 does not parse the URL.
  return new Request(new URL(`http://localhost${target}`).href, request);
}

import type { Listen } from "./listener.ts";

/** Seconds after which a connection without traffic is closed. */
const IDLE = 10;
/** While stopping: how often it is looked whether any request is left, in ms. */
const LOOK_EVERY = 250;

export const listen: Listen = async (app, { host, port, isShared }) => {
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE,
    // Bun's own 413 has neither body nor headers of ours: the app refuses large bodies itself.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // Bun 1.4 shares the port with any other process once `development` is given: two services would take turns.
    reusePort: isShared,
    fetch: (request, bun) => app(withParsedUrl(request), () => bun.requestIP(request)?.address ?? ""),
  });
  return {
    port: server.port ?? port,
    async stop(patience) {
      const late = setTimeout(() => server.stop(true), patience);
      // Bun 1.4 waits for connections on which nothing was ever sent as if a request were on its way.
      const silent = setInterval(() => server.pendingRequests === 0 && server.stop(true), LOOK_EVERY);
      await server.stop();
      clearInterval(silent);
      clearTimeout(late);
    },
  };
};

/** Dots that stand for a directory, which a URL that was parsed has none of. */
const DOTS = /\/\.|%2e/i;

/**
 * The request under a URL that parses. Where Host is missing, as HTTP/1.0 allows, or not valid, Bun gives the bare
 * path as the URL, or one that does not parse; and neither is rid of its dot segments.
 */
function withParsedUrl(request: Request): Request {
  const { url } = request;
  if (!url.startsWith("/") && !DOTS.test(url)) return request;
  const target = url.startsWith("/") ? url : url.slice(url.indexOf("/", url.indexOf("://") + 3));
  // The constructor of Bun 1.4 takes the URL as it is when it is given a request beside it.
  return new Request(new URL(`http://localhost${target}`).href, request);
}

import type { Listen } from "./listener.ts";

/** Seconds after which a connection without traffic is closed. */
const IDLE = 10;

export const listen: Listen = async (app, { host, port }) => {
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE,
    // Bun's own 413 has neither body nor headers of ours: the app refuses large bodies itself.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    fetch: (request, bun) => app(request, () => bun.requestIP(request)?.address ?? ""),
  });
  return {
    port: server.port ?? port,
    async stop(patience) {
      const late = setTimeout(() => server.stop(true), patience);
      await server.stop();
      clearTimeout(late);
    },
  };
};

import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { Connection, NewResponse } from "../http/app.ts";
import { Gate, type Listen } from "./listener.ts";

/** The headers of an earlier response, as the app gave them and as the runtime has them. */
type Kept = { values: Record<string, string>; headers: Headers };

/**
 * Makes the headers of responses. Bun takes 2 µs for those of a list from an object, and half of that if it copies the
 * `Headers` of an earlier response with the same names, of which only the values that differ are set.
 */
export class KeptHeaders {
  /** By the number of names: nearly all kinds of responses differ in it. */
  readonly #byCount: (Kept | undefined)[] = [];

  /**
   * Returns `values` as `Headers`. Copy them, as `new Response` does: the next call may change them. `values` must stay as
   * they are. @throws TypeError when a value is not one of a header
   */
  of(values: Record<string, string>): Headers {
    const count = Object.keys(values).length;
    const kept = this.#byCount[count];
    if (kept === undefined) return this.#keep(count, values);
    // When a value is refused, some are set already: the next response begins anew.
    this.#byCount[count] = undefined;
    for (const name in values) {
      const value = values[name] ?? "";
      const before = kept.values[name];
      if (before === undefined) return this.#keep(count, values);
      if (value !== before) kept.headers.set(name, value);
    }
    kept.values = values;
    this.#byCount[count] = kept;
    return kept.headers;
  }

  #keep(count: number, values: Record<string, string>): Headers {
    const headers = new Headers(values);
    this.#byCount[count] = { values, headers };
    return headers;
  }
}

/** Seconds after which a connection without traffic is closed. */
const IDLE_SECONDS = 10;
/** How often the listener checks for pending requests while it stops, in ms; idle connections have as long for another. */
const POLL_INTERVAL = 500;

export const listen: Listen = async (appOn, { host, port, isShared }) => {
  const gate = new Gate();
  const keptHeaders = new KeptHeaders();
  const newResponse: NewResponse = (body, { status, headers }) =>
    new Response(body, { status, headers: keptHeaders.of(headers) });
  const server = Bun.serve({
    hostname: host,
    port,
    idleTimeout: IDLE_SECONDS,
    // The app refuses large bodies itself: Bun's 413 would have neither our body nor our headers.
    maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    development: false,
    // With `development`, Bun 1.4 shares the port with any other process: each would get some of the connections.
    reusePort: isShared,
    fetch: (request, bun) => {
      const answer = respond.respondAtOnce?.(request);
      if (answer !== undefined) return newResponse(answer.body, answer);
      const response = respond(withParsedUrl(request), new BunConnection(request, bun));
      return request.method === "HEAD" ? after(response, dated) : response;
    },
  });
  const actualPort = server.port ?? port;
  // No request arrives before the next turn of the event loop.
  const respond = gate.guard(appOn(actualPort, newResponse));
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

/** `request`: as Bun gave it. */
class BunConnection implements Connection {
  readonly request: Request;
  readonly server: Bun.Server<undefined>;

  constructor(request: Request, server: Bun.Server<undefined>) {
    this.request = request;
    this.server = server;
  }

  address(): string {
    return this.server.requestIP(this.request)?.address ?? "";
  }

  allowPause(milliseconds: number): void {
    this.server.timeout(this.request, IDLE_SECONDS + Math.ceil(milliseconds / 1_000));
  }

  /** A stream that fails before its first byte resets the connection. For HEAD, which reads none, only the idle time-out does. */
  cut(): Awaitable<Response> {
    const { request, server } = this;
    if (request.method !== "HEAD") return new Response(new ReadableStream({ start: (stream) => stream.error() }));
    server.timeout(request, 1);
    return new Promise((resolve) => {
      request.signal.addEventListener("abort", () => resolve(new Response()), { once: true });
    });
  }
}

/** Gives a response to HEAD the Date that Bun 1.4 adds to all others (RFC 9110, 6.6.1). */
function dated(response: Response): Response {
  if (!response.headers.has("Date")) response.headers.set("Date", new Date().toUTCString());
  return response;
}

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

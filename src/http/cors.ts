const EXPOSED = [
  "Deprecation",
  "Link",
  "Location",
  "RateLimit",
  "RateLimit-Policy",
  "Retry-After",
  "Sunset",
  "WWW-Authenticate",
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "X-Request-Id",
].join(", ");

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = 600;

/** Which web pages may call the service from a browser. Without any origin, none may, and nothing is said of it. */
export class Cors {
  readonly #origins: Set<string>;

  constructor(origins: string[]) {
    this.#origins = new Set(origins);
  }

  /** The headers that let the request's page read the answer. */
  headersFor(request: Request): Record<string, string> {
    if (this.#origins.size === 0) return {};
    const origin = request.headers.get("Origin");
    if (origin === null || !this.#origins.has(origin)) return { Vary: "Origin" };
    return { Vary: "Origin", "Access-Control-Allow-Origin": origin, "Access-Control-Expose-Headers": EXPOSED };
  }

  /** The further headers of the answer to a preflight from a page that may call; undefined for any other request. */
  preflightHeaders(request: Request): Record<string, string> | undefined {
    if (request.method !== "OPTIONS" || !request.headers.has("Access-Control-Request-Method")) return undefined;
    if (!this.#origins.has(request.headers.get("Origin") ?? "")) return undefined;
    return {
      "Access-Control-Allow-Methods": "GET, HEAD, POST",
      "Access-Control-Allow-Headers": "Authorization, Content-Type, X-Request-Id",
      "Access-Control-Max-Age": String(MAX_AGE),
    };
  }
}

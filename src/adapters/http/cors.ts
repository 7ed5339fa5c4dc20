import type { RequestContext } from "./request-context.ts";

const EXPOSED = [
  "Deprecation",
  "Idempotency-Replayed",
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

  /** Lets the request's page read the answer, if it may. */
  addHeaders({ request, headers }: RequestContext): void {
    if (this.#origins.size === 0) return;
    headers.Vary = "Origin";
    const origin = this.#allowedOrigin(request);
    if (origin === undefined) return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = EXPOSED;
  }

  /** Whether a browser asks, for a page that may call, what that page may do. It sends no key with that. */
  isPreflight(request: Request): boolean {
    if (request.method !== "OPTIONS" || !request.headers.has("Access-Control-Request-Method")) return false;
    return this.#allowedOrigin(request) !== undefined;
  }

  answerPreflight({ headers }: RequestContext): Response {
    headers["Access-Control-Allow-Methods"] = "GET, HEAD, POST";
    headers["Access-Control-Allow-Headers"] = "Authorization, Content-Type, Idempotency-Key, X-Request-Id";
    headers["Access-Control-Max-Age"] = String(MAX_AGE);
    return new Response(null, { status: 204, headers });
  }

  #allowedOrigin(request: Request): string | undefined {
    const origin = request.headers.get("Origin");
    return origin !== null && this.#origins.has(origin) ? origin : undefined;
  }
}

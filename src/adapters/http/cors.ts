import type { Answer, Description } from "./description.ts";
import { deprecated, everywhere } from "./document-headers.ts";
import type { PublicContext } from "./operations/operation.ts";

/** How long a browser may remember the answer to a preflight, in seconds. */
const MAX_AGE = 7_200;

/** Which web pages may call the service from a browser. Without any origin, none may, and nothing is said of it. */
export class Cors {
  readonly #origins: Set<string>;
  readonly #allowedMethods: string;
  readonly #allowedHeaders: string;
  readonly #exposedHeaders: string;

  /** What pages may send and read is what the operations take and give. */
  constructor(origins: string[], operations: readonly Description[]) {
    this.#origins = new Set(origins);
    const methods = operations.map(({ method }) => method.toUpperCase());
    this.#allowedMethods = listOf([...methods, "HEAD"]);
    this.#allowedHeaders = listOf([
      ...["Authorization", "Content-Type", "X-Request-Id"],
      ...operations.flatMap(({ request }) => Object.keys(request?.headers?.shape ?? {})),
    ]);
    this.#exposedHeaders = listOf([
      ...[...Object.keys(everywhere), ...Object.keys(deprecated), "Retry-After", "WWW-Authenticate"],
      ...operations.flatMap(({ answers }) => Object.values(answers).flatMap(headersOf)),
    ]);
  }

  /** Lets the request's page read the answer, if it may. */
  addHeaders({ request, headers }: PublicContext): void {
    if (this.#origins.size === 0) return;
    headers.Vary = "Origin";
    const origin = this.#allowedOrigin(request);
    if (origin === undefined) return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = this.#exposedHeaders;
  }

  /** Whether a browser asks, for a page that may call, what that page may do. It sends no key with that. */
  isPreflight(request: Request): boolean {
    if (request.method !== "OPTIONS" || !request.headers.has("Access-Control-Request-Method")) return false;
    return this.#allowedOrigin(request) !== undefined;
  }

  answerPreflight({ headers }: PublicContext): Response {
    headers["Access-Control-Allow-Methods"] = this.#allowedMethods;
    headers["Access-Control-Allow-Headers"] = this.#allowedHeaders;
    headers["Access-Control-Max-Age"] = String(MAX_AGE);
    return new Response(null, { status: 204, headers });
  }

  #allowedOrigin(request: Request): string | undefined {
    const origin = request.headers.get("Origin");
    return origin !== null && this.#origins.has(origin) ? origin : undefined;
  }
}

function listOf(names: string[]): string {
  return [...new Set(names)].sort().join(", ");
}

function headersOf(answer: string | Answer): string[] {
  return typeof answer === "string" ? [] : Object.keys(answer.headers ?? {});
}

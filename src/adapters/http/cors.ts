import type { Deployment } from "../../domain/deployment.ts";
import { SIMULATE } from "../../domain/simulation.ts";
import { deprecated, everywhere, ofReads, onStaging } from "./openapi-headers.ts";
import type { PublicContext } from "./operation.ts";
import type { HttpRequest, HttpResponse } from "./request.ts";
import type { Answer, Description } from "./routes.ts";

/** How long a browser may cache the response to a preflight, in seconds. */
const MAX_AGE = 7_200;

/** Cross-origin access for pages of the configured origins. Without origins it adds no headers. */
export class Cors {
  readonly #origins: Set<string>;
  readonly #allowedMethods: string;
  readonly #allowedHeaders: string;
  readonly #exposedHeaders: string;

  /** Pages may send the request headers and read the response headers of these operations, and on staging rehearse. */
  constructor(origins: string[], operations: readonly Description[], deployment: Deployment) {
    const isStaging = deployment === "staging";
    this.#origins = new Set(origins);
    const methods = operations.map(({ method }) => method.toUpperCase());
    this.#allowedMethods = listOf([...methods, "HEAD"]);
    this.#allowedHeaders = listOf([
      ...["Authorization", "Content-Type", "If-None-Match", "Prefer", "X-Request-Id"],
      ...["MCP-Protocol-Version", "Mcp-Method", "Mcp-Name"],
      ...(isStaging ? [SIMULATE] : []),
      ...operations.flatMap(({ request }) => Object.keys(request?.headers?.shape ?? {})),
    ]);
    this.#exposedHeaders = listOf([
      ...[
        ...Object.keys(everywhere),
        ...(isStaging ? Object.keys(onStaging) : []),
        ...Object.keys(ofReads),
        ...Object.keys(deprecated),
        "Allow",
        "Retry-After",
        "WWW-Authenticate",
      ],
      ...operations.flatMap(({ answers }) => Object.values(answers).flatMap(headersOf)),
    ]);
  }

  /** Lets the page that sent the request read the response, if its origin is allowed. */
  addHeaders({ request, headers }: PublicContext): void {
    if (this.#origins.size === 0) return;
    headers.Vary = "Origin";
    const origin = this.#allowedOrigin(request);
    if (origin === undefined) return;
    headers["Access-Control-Allow-Origin"] = origin;
    headers["Access-Control-Expose-Headers"] = this.#exposedHeaders;
  }

  /** Whether the request is a preflight for a page of an allowed origin. A preflight carries no key. */
  isPreflight(request: HttpRequest): boolean {
    if (request.method !== "OPTIONS" || request.headers.get("Access-Control-Request-Method") === null) return false;
    return this.#allowedOrigin(request) !== undefined;
  }

  answerPreflight({ headers }: PublicContext): HttpResponse {
    headers["Access-Control-Allow-Methods"] = this.#allowedMethods;
    headers["Access-Control-Allow-Headers"] = this.#allowedHeaders;
    headers["Access-Control-Max-Age"] = String(MAX_AGE);
    return { status: 204, headers, body: null };
  }

  #allowedOrigin(request: HttpRequest): string | undefined {
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

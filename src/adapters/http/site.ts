import { extname } from "node:path";
import type { Awaitable } from "../../domain/awaitable.ts";
import { unavailable } from "../../domain/errors.ts";
import { toJson } from "../../domain/json.ts";
import { routeError } from "./checks.ts";
import { type HttpResponse, json, type RequestContext, requireBody } from "./request.ts";
import { CompressedBodies, errorResponse, sendCompressed } from "./responses.ts";
import { routerOf } from "./routes.ts";

/** A path outside the interfaces, which clients can only read. It needs no key. */
export type SiteRoute = { path: string; respond: (context: RequestContext) => Awaitable<HttpResponse> };

/**
 * Returns the function that responds to requests for these paths. `hint` says what paths there are.
 * @throws not_found, method_not_allowed, and what the routes throw
 */
export function siteOf(routes: readonly SiteRoute[], hint: string): (context: RequestContext) => Promise<HttpResponse> {
  const router = routerOf(
    "",
    routes.map((route) => ({ ...route, method: "get" as const })),
  );
  return async (context) => {
    const { operation, allowed } = router(context.request.method, context.path);
    if (operation === undefined) throw routeError(context, allowed, hint);
    requireBody(context.request);
    return operation.respond(context);
  };
}

export function redirect(path: string, Location: string): SiteRoute {
  return { path, respond: ({ headers }) => ({ status: 302, headers: { ...headers, Location }, body: null }) };
}

/** An OpenAPI document. It is loaded and made at the first request: that takes longer than the rest of the start. */
export function documentRoute(path: string, make: () => Promise<object>, own?: Record<string, string>): SiteRoute {
  const bodies = new CompressedBodies();
  const document = () => bodies.get(path, async () => toJson(await make()));
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-cache", ...own };
  return { path, respond: async (context) => sendCompressed(context, await document(), headers) };
}

const mediaTypes: Record<string, string> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml; charset=utf-8",
  ".png": "image/png",
  ".ico": "image/x-icon",
  ".woff2": "font/woff2",
  ".txt": "text/plain; charset=utf-8",
};

/** The media type of a file, by the extension of its name. */
export function mediaTypeOf(name: string): string {
  return mediaTypes[extname(name)] ?? "application/octet-stream";
}

/**
 * The Content-Security-Policy of a page: it loads scripts, styles and pictures only from this service, has no inline ones, and
 * is in no frame. `sources` replaces or adds directives.
 */
export function policyWith(sources: Record<string, string> = {}): string {
  const own = { "script-src": "'self'", "style-src": "'self'", "img-src": "'self'", ...sources };
  const directives = { "default-src": "'none'", ...own, "base-uri": "'none'", "form-action": "'none'" };
  return Object.entries({ ...directives, "frame-ancestors": "'none'" })
    .map((directive) => directive.join(" "))
    .join("; ");
}

/** Whether requests can be served: all, or only those that read, because the database takes no writes. */
export type Readiness = "ready" | "read-only";

export type Health = {
  /** Whether the service is stopping: it still responds, but load balancers should send requests elsewhere. */
  isStopping(): boolean;
  /** Resolves when all dependencies respond, with what is possible then. @throws the error of the first that does not */
  check(): Awaitable<Readiness>;
};

/** The probes `/livez` and `/readyz`, for the supervisor of the process. */
export function probeRoutes(health: Health): SiteRoute[] {
  const own = { "Cache-Control": "no-store" };
  return [
    { path: "/livez", respond: (context) => json(context, 200, { status: "alive" }, own) },
    {
      path: "/readyz",
      respond: async (context) => {
        // That the service stops is in the log already, and is not a failure.
        if (health.isStopping()) {
          return errorResponse(context, unavailable(new Error("the service is stopping")), () => {});
        }
        return json(context, 200, { status: await health.check() }, own);
      },
    },
  ];
}

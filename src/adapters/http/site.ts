import { Hono } from "hono";
import type { Deployment } from "../../domain/deployment.ts";
import { unavailable } from "../../domain/errors.ts";
import { noRoute } from "./checks.ts";
import { documentationRoutes } from "./documentation.ts";
import { guideRoutes } from "./guide/routes.ts";
import { json, type RequestContext } from "./request.ts";
import { errorResponse, notFoundPage, type Report } from "./responses.ts";

/** The state that the probes report. */
export type Health = {
  /** Whether the service is stopping: it still responds, but load balancers should send requests elsewhere. */
  isStopping(): boolean;
  /** Resolves when all dependencies respond. @throws the error of the first that does not */
  check(): void | Promise<void>;
};

type SiteServices = {
  health: Health;
  report: Report;
  deployment: Deployment;
  baseUrls: Record<Deployment, string>;
  command?: string | undefined;
};

/** The probes `/livez` and `/readyz`, for the supervisor of the process. */
export function probeRoutes(health: Health) {
  const probes = new Hono<{ Bindings: RequestContext }>();
  const own = { "Cache-Control": "no-store" };
  probes.get("/livez", (c) => json(c.env, 200, { status: "alive" }, own));
  probes.get("/readyz", async (c) => {
    // That the service stops is in the log already, and is not a failure.
    if (health.isStopping()) return errorResponse(c.env, unavailable(new Error("the service is stopping")), () => {});
    await health.check();
    return json(c.env, 200, { status: "ready" }, own);
  });
  return probes;
}

/** The routes outside /v1, which need no key: probes, document, reference and guide. */
export function siteRoutes({ health, report, baseUrls, deployment, command }: SiteServices) {
  const refuse = (context: RequestContext, error: unknown): Response =>
    notFoundPage(context, error) ?? errorResponse(context, error, report);
  const site = new Hono<{ Bindings: RequestContext }>();
  site.route("/", probeRoutes(health));
  site.on("GET", ["/", "/docs/"], (c) => redirect(c.env, "/docs"));
  site.route("/", documentationRoutes(baseUrls, deployment));
  site.route("/", guideRoutes({ deployment, baseUrls, command }));

  site.notFound((c) => {
    const hint = "The interface is under /v1, its documentation at /docs.";
    return refuse(c.env, noRoute(site, c.env, hint));
  });
  site.onError((error, c) => refuse(c.env, error));
  return site;
}

function redirect({ headers }: RequestContext, Location: string): Response {
  return new Response(null, { status: 302, headers: { ...headers, Location } });
}

/** Returns a HEAD request as GET, for Hono's router. Both runtimes drop the body of the response themselves. */
export function asGet(request: Request): Request {
  if (request.method !== "HEAD") return request;
  const { url, headers } = request;
  const target = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  return new Request(`http://localhost${target}`, { headers });
}

import { Hono } from "hono";
import type { Deployment } from "../../../domain/deployment.ts";
import { errorResponse, type Report } from "../errors.ts";
import { noRoute } from "../no-route.ts";
import type { RequestContext } from "../request-context.ts";
import { type Health, probeRoutes } from "../site.ts";
import type { Authentication } from "./authenticate.ts";
import { consoleRoutes } from "./console.ts";
import { consoleFiles } from "./console-files.ts";
import { documentRoutes } from "./documentation.ts";
import { metricsRoutes } from "./metrics.ts";

type Parts = {
  deployment: Deployment;
  command: string;
  health: Health;
  report: Report;
  metrics: () => Promise<string>;
  /** If set, only operators may read metrics. */
  authentication: Authentication | undefined;
};

/** The routes outside the administration interface, without credentials: probes, document, console and metrics. */
export function siteRoutes({ deployment, command, health, report, metrics, authentication }: Parts) {
  const site = new Hono<{ Bindings: RequestContext }>();
  site.route("/", probeRoutes(health));
  site.route("/", documentRoutes(deployment));
  site.route("/", consoleRoutes(consoleFiles(), { deployment, command }));
  site.route("/", metricsRoutes(metrics, authentication));
  site.get("/", ({ env }) => new Response(null, { status: 302, headers: { ...env.headers, Location: "/console" } }));

  site.notFound((c) => {
    const hint =
      "The interface is under /admin/v1, its document at /admin/openapi.json, the console at /console, metrics at /metrics.";
    return errorResponse(c.env, noRoute(site, c.env, hint), report);
  });
  site.onError((error, c) => errorResponse(c.env, error, report));
  return site;
}

import { Hono } from "hono";
import { errorResponse, type Report } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { noRoute } from "../no-route.ts";
import { type Health, probeRoutes } from "../site.ts";
import type { Authentication } from "./authenticate.ts";
import { consoleRoutes } from "./console.ts";
import { consoleFiles } from "./console-files.ts";
import { documentRoutes } from "./documentation.ts";
import { metricsRoutes } from "./metrics.ts";

type Parts = {
  health: Health;
  report: Report;
  measures: () => Promise<string>;
  /** Given where the measures are for operators alone. */
  measuresFor: Authentication | undefined;
};

/** What stands beside the administration interface, open to whoever reaches it: probes, the document, the console, measures. */
export function siteRoutes({ health, report, measures, measuresFor }: Parts) {
  const site = new Hono<{ Bindings: Exchange }>();
  site.route("/", probeRoutes(health));
  site.route("/", documentRoutes());
  site.route("/", consoleRoutes(consoleFiles()));
  site.route("/", metricsRoutes(measures, measuresFor));
  site.get("/", ({ env }) => new Response(null, { status: 302, headers: { ...env.headers, Location: "/console" } }));

  site.notFound((c) => {
    const hint =
      "The interface is under /admin/v1, its document at /admin/openapi.json, the console at /console, measures at /metrics.";
    return errorResponse(c.env, noRoute(site, c.env.path, hint), report);
  });
  site.onError((error, c) => errorResponse(c.env, error, report));
  return site;
}

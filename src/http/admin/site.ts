import { Hono } from "hono";
import { errorResponse, type Report } from "../errors.ts";
import type { Exchange } from "../exchange.ts";
import { noRoute } from "../no-route.ts";
import { type Health, probeRoutes } from "../site.ts";
import { consoleRoutes } from "./console.ts";
import { consoleFiles } from "./console-files.ts";
import { documentRoutes } from "./documentation.ts";

/** What stands beside the administration interface, open to whoever reaches it: probes, the document and the console. */
export function siteRoutes({ health, report }: { health: Health; report: Report }) {
  const site = new Hono<{ Bindings: Exchange }>();
  site.route("/", probeRoutes(health));
  site.route("/", documentRoutes());
  site.route("/", consoleRoutes(consoleFiles()));
  site.get("/", ({ env }) => new Response(null, { status: 302, headers: { ...env.headers, Location: "/console" } }));

  site.notFound((c) => {
    const hint = "The interface is under /admin/v1, its document at /admin/openapi.json, the console at /console.";
    return errorResponse(c.env, noRoute(site, c.env.path, hint), report);
  });
  site.onError((error, c) => errorResponse(c.env, error, report));
  return site;
}

import { Hono } from "hono";
import type { RequestContext } from "../request-context.ts";
import type { Authentication } from "./authenticate.ts";

/** Prometheus's text format. */
const MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** `/metrics`. With `authentication` it requires the credentials of an operator. */
export function metricsRoutes(metrics: () => Promise<string>, authentication: Authentication | undefined) {
  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/metrics", async ({ env }) => {
    await authentication?.authenticate(env);
    const headers = { ...env.headers, "Content-Type": MEDIA_TYPE, "Cache-Control": "no-store" };
    return new Response(await metrics(), { headers });
  });
  return routes;
}

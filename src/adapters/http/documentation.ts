import { Hono } from "hono";
import type { Deployment } from "../../domain/deployment.ts";
import { toJson } from "../../domain/json.ts";
import { referenceRoutes } from "./reference/routes.ts";
import type { RequestContext } from "./request.ts";
import { CompressedBodies, sendCompressed } from "./responses.ts";

/** `/openapi.json`, and `/docs/reference`: an interactive reference made from it. */
export function documentationRoutes(baseUrls: Record<Deployment, string>, deployment: Deployment) {
  const bodies = new CompressedBodies();
  // Loaded and made at the first request: it takes longer than the rest of the start.
  const made = async () => toJson((await import("./document.ts")).openApiDocument(baseUrls, deployment));
  const document = () => bodies.get("openapi.json", made);
  const headers = {
    "Content-Type": "application/json",
    "Access-Control-Allow-Origin": "*",
    "Cache-Control": "no-cache",
  };

  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/openapi.json", async (c) => sendCompressed(c.env, await document(), headers));
  routes.route("/", referenceRoutes(baseUrls));
  return routes;
}

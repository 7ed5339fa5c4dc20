import { Hono } from "hono";
import type { Deployment } from "../../domain/deployment.ts";
import { toJson } from "../../domain/json/write.ts";
import { CompressedBodies, sendCompressed } from "./compressed.ts";
import { openApiDocument } from "./document.ts";
import { referenceRoutes } from "./reference/routes.ts";
import type { RequestContext } from "./request-context.ts";

/** `/openapi.json`, and `/docs/reference`: an interactive reference made from it. */
export function documentationRoutes(baseUrls: Record<Deployment, string>, deployment: Deployment) {
  // Made at the first request: it takes longer than the rest of the start.
  const bodies = new CompressedBodies();
  const document = () => bodies.get("openapi.json", () => toJson(openApiDocument(baseUrls, deployment)));
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

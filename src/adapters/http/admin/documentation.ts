import { Hono } from "hono";
import type { Deployment } from "../../../domain/deployment.ts";
import { toJson } from "../../../domain/json/write.ts";
import { CompressedBodies, sendCompressed } from "../compressed.ts";
import type { RequestContext } from "../request-context.ts";

/** `/admin/openapi.json`. */
export function documentRoutes(deployment: Deployment) {
  const bodies = new CompressedBodies();
  const made = async () => toJson((await import("./document.ts")).administrationDocument(deployment));
  const document = () => bodies.get("openapi.json", made);
  const headers = { "Content-Type": "application/json", "Cache-Control": "no-cache" };
  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/admin/openapi.json", async ({ env }) => sendCompressed(env, await document(), headers));
  return routes;
}

import { Hono } from "hono";
import { toJson } from "../../../domain/json/write.ts";
import { jsonText, type RequestContext } from "../request-context.ts";
import { administrationDocument } from "./document.ts";

/** `/admin/openapi.json`. */
export function documentRoutes() {
  const document = toJson(administrationDocument());
  const routes = new Hono<{ Bindings: RequestContext }>();
  routes.get("/admin/openapi.json", ({ env }) => jsonText(env, 200, document));
  return routes;
}

import { Hono } from "hono";
import { errorResponse, type Report } from "./errors.ts";
import { noRoute } from "./no-route.ts";
import type { petHandlers } from "./pets.ts";
import type { Admitted, Handler } from "./request-context.ts";

const PREFIX = "/v1";

export function isUnderPrefix(path: string): boolean {
  return path.startsWith(PREFIX) && (path.length === PREFIX.length || path[PREFIX.length] === "/");
}

/** The operations under /v1, for callers that were let in. */
export function apiRoutes(
  { listPets, createPet, getPet }: ReturnType<typeof petHandlers>,
  getUsage: Handler,
  report: Report,
) {
  const api = new Hono<{ Bindings: Admitted }>({ getPath: (_request, options) => options?.env?.path ?? "" }).basePath(
    PREFIX,
  );
  api.get("/pets", listPets);
  api.post("/pets", createPet);
  api.get("/pets/:petId", getPet);
  api.get("/usage", getUsage);

  api.notFound((c) => errorResponse(c.env, noRoute(api, c.env, "See /docs for what there is."), report));
  api.onError((error, c) => errorResponse(c.env, error, report));
  return api;
}

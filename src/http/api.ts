import { Hono } from "hono";
import { PetstoreError } from "../errors.ts";
import { errorResponse, type Report } from "./errors.ts";
import type { Admitted } from "./exchange.ts";
import type { petHandlers } from "./pets.ts";

const PREFIX = "/v1";

export function isUnderPrefix(path: string): boolean {
  return path.startsWith(PREFIX) && (path.length === PREFIX.length || path[PREFIX.length] === "/");
}

/** The operations under /v1, for callers that were let in. */
export function apiRoutes({ listPets, createPet, getPet }: ReturnType<typeof petHandlers>, report: Report) {
  const api = new Hono<{ Bindings: Admitted }>({ getPath: (_request, options) => options?.env?.path ?? "" }).basePath(
    PREFIX,
  );
  api.get("/pets", listPets);
  api.post("/pets", createPet);
  api.get("/pets/:petId", getPet);

  api.notFound((c) => {
    const allowed = ["GET", "POST"].filter((method) => api.router.match(method, c.req.path)[0].length > 0);
    return errorResponse(c.env, noSuchRoute(allowed), report);
  });
  api.onError((error, c) => errorResponse(c.env, error, report));
  return api;
}

function noSuchRoute(allowed: string[]): PetstoreError {
  if (allowed.length === 0)
    return new PetstoreError("not_found", "There is nothing at this path. See /docs for what there is.");
  const methods = allowed.flatMap((method) => (method === "GET" ? ["GET", "HEAD"] : [method])).join(", ");
  return new PetstoreError("method_not_allowed", `This path answers ${methods}.`, { headers: { Allow: methods } });
}

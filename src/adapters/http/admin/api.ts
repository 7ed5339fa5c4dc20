import { Hono } from "hono";
import { PetstoreError } from "../../../domain/errors.ts";
import { errorResponse, type Report } from "../errors.ts";
import { noRoute } from "../no-route.ts";
import type { auditHandlers } from "./audit.ts";
import type { deprecationHandlers } from "./deprecations.ts";
import type { keyHandlers } from "./keys.ts";
import type { operatorHandlers } from "./operators.ts";
import type { overviewHandlers } from "./overview.ts";
import type { petHandlers } from "./pets.ts";
import type { Handler, Operated } from "./request-context.ts";
import type { sessionHandlers } from "./sessions.ts";
import type { stateHandlers } from "./state.ts";
import type { usageHandlers } from "./usage.ts";

const PREFIX = "/admin/v1";

export function isUnderPrefix(path: string): boolean {
  return path === PREFIX || path.startsWith(`${PREFIX}/`);
}

/** The one request that needs no credentials: it brings them. */
export function isSignIn(method: string, path: string): boolean {
  return method === "POST" && path === `${PREFIX}/session`;
}

type Handlers = {
  sessions: ReturnType<typeof sessionHandlers>;
  keys: ReturnType<typeof keyHandlers>;
  operators: ReturnType<typeof operatorHandlers>;
  pets: ReturnType<typeof petHandlers>;
  audit: ReturnType<typeof auditHandlers>;
  usage: ReturnType<typeof usageHandlers>;
  overview: ReturnType<typeof overviewHandlers>;
  deprecations: ReturnType<typeof deprecationHandlers>;
  state: ReturnType<typeof stateHandlers>;
};

/** The operations under /admin/v1, for operators that were let in. */
export function apiRoutes(handlers: Handlers, report: Report) {
  const { sessions, keys, operators, pets, audit, usage, overview, deprecations, state } = handlers;
  const api = new Hono<{ Bindings: Operated }>({ getPath: (_request, options) => options?.env?.path ?? "" }).basePath(
    PREFIX,
  );
  api.get("/session", sessions.current);
  api.delete("/session", sessions.signOut);
  // Signing in is answered before this is asked: the route is here to be named in Allow.
  api.post("/session", sessions.current);

  api.get("/keys", keys.list);
  api.post("/keys", byAdmin(keys.create));
  api.get("/keys/:id", keys.show);
  api.patch("/keys/:id", byAdmin(keys.update));
  api.post("/keys/:id/rotate", byAdmin(keys.rotate));
  api.post("/keys/:id/revoke", byAdmin(keys.revoke));
  api.post("/keys/:id/unban", byAdmin(keys.unban));

  api.get("/pets", pets.list);
  api.post("/pets", byAdmin(pets.create));
  api.get("/pets/export", pets.exportPets);
  api.post("/pets/import", byAdmin(pets.importPets));

  api.get("/operators", byAdmin(operators.list));
  api.post("/operators", byAdmin(operators.create));
  api.post("/operators/:id/revoke", byAdmin(operators.revoke));

  api.get("/usage", usage.everybody);
  api.get("/keys/:id/usage", usage.ofKey);
  api.get("/overview", overview.show);
  api.get("/deprecations", deprecations.list);
  api.get("/audit", audit.list);
  api.get("/state", state.show);

  api.notFound((c) => errorResponse(c.env, noRoute(api, c.env, "See /admin/openapi.json for what there is."), report));
  api.onError((error, c) => errorResponse(c.env, error, report));
  return api;
}

/** @throws insufficient_role for an operator that may only look */
function byAdmin(handler: Handler): Handler {
  return (c) => {
    if (c.env.operator.role === "admin") return handler(c);
    throw new PetstoreError("insufficient_role");
  };
}

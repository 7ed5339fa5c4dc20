import { PetstoreError } from "../../../domain/errors.ts";
import type { Operator } from "../../../domain/operators.ts";
import { SIMULATE } from "../../../domain/simulation.ts";
import type { App } from "../app.ts";
import { requireOperation } from "../checks.ts";
import { malformedResponse } from "../malformed.ts";
import { logEntryOf } from "../record.ts";
import { type HttpResponse, newContext, pathOf, type RequestContext, requireBody } from "../request.ts";
import { errorResponse } from "../responses.ts";
import { type Router, routerOf } from "../routes.ts";
import type { AdministrationOperation, AdministrationServices } from "./operations/operation.ts";
import { authenticate, refuseCrossSite, refuseUnknownHost } from "./sign-in.ts";
import { administrationSite } from "./site.ts";

const PREFIX = "/admin/v1";

/** The operations that read a file as it arrives. */
export const UPLOADS: ReadonlySet<string> = new Set(
  ["pets/import", "staging/reset", "backups/upload"].map((path) => `POST ${PREFIX}/${path}`),
);

/** After so long the operations are loaded, in ms, unless a request needs them sooner. */
const LOADED_AFTER = 500;

export function createAdministrationApp(services: AdministrationServices): App {
  const { health, hosts, report, trustedProxies, logRequest } = services;
  const site = administrationSite(services);

  setTimeout(router, LOADED_AFTER).unref();

  /** The order of checks, as docs/administration.md publishes it. */
  async function answer(context: RequestContext<AdministrationOperation>): Promise<HttpResponse> {
    if (context.route.operation?.role === "none") {
      refuseCrossSite(context, trustedProxies); // 403
      requireBody(context.request, context.route.operation); // 413, 400
      return context.route.operation.bind(services).handle(context); // 415, 400, 429, 401
    }
    const authenticated = await authenticate(context, services); // 401, 429; 403 for a page of another site
    const operation = requireOperation(context, "See /admin/openapi.json for the paths."); // 404, 405
    requireRole(operation, authenticated.operator); // 403
    refuseSimulation(context); // 400
    requireBody(context.request, operation); // 413, 400
    return operation.bind(services).handle(authenticated); // 415, 400, 404, 409
  }

  async function respond(context: RequestContext<AdministrationOperation>): Promise<HttpResponse> {
    if (health.isStopping()) context.headers.Connection = "close";
    try {
      refuseUnknownHost(context, hosts); // 403
      if (!isUnderPrefix(context.path)) return await site(context);
      context.headers["Cache-Control"] = "no-store";
      return await answer(context);
    } catch (error) {
      return errorResponse(context, error, report);
    }
  }

  return {
    async respond(request, connection) {
      const context = newContext(request, connection, await router());
      const response = await respond(context);
      logRequest?.(logEntryOf(context, response.status));
      return response;
    },
    refuse: (malformation) => malformedResponse(malformation),
    readsBody: (method, url) => UPLOADS.has(`${method} ${pathOf(url)}`),
  };
}

let loadedRouter: Promise<Router<AdministrationOperation>> | undefined;

/**
 * The operations are loaded soon after the start, which takes 25 ms less without them: not when an operator first needs them,
 * who then would keep clients waiting, and find nothing if an upgrade had just replaced the files of the package.
 */
function router(): Promise<Router<AdministrationOperation>> {
  loadedRouter ??= import("./operations/index.ts").then(({ operations }) => routerOf(PREFIX, operations));
  return loadedRouter;
}

function isUnderPrefix(path: string): boolean {
  return path === PREFIX || path.startsWith(`${PREFIX}/`);
}

/** @throws invalid_parameter for a request that would rehearse: nothing is simulated here */
function refuseSimulation({ request }: RequestContext<AdministrationOperation>): void {
  if (!request.headers.has(SIMULATE)) return;
  throw new PetstoreError("invalid_parameter", {
    message: `Header ${SIMULATE} is for requests under /v1: the administration interface simulates nothing.`,
  });
}

/** @throws insufficient_role when the operation needs an admin and the operator is a viewer */
function requireRole({ role }: AdministrationOperation, operator: Operator): void {
  if (role === "admin" && operator.role !== "admin") throw new PetstoreError("insufficient_role");
}

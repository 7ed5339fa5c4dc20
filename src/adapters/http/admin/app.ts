import { PetstoreError } from "../../../domain/errors.ts";
import type { Operator, Role } from "../../../domain/operators/operator.ts";
import type { AnonymousLimiter } from "../admission.ts";
import { type App, asGet } from "../app.ts";
import { errorResponse } from "../errors.ts";
import { newContext, type RequestContext } from "../request-context.ts";
import { type LogRequest, logged } from "../request-log.ts";
import { routerOf } from "../routes.ts";
import type { Health } from "../site.ts";
import { Authentication } from "./authenticate.ts";
import { refuseCrossSite } from "./cross-site.ts";
import { operations } from "./operations/index.ts";
import type { AdministrationOperation, Services } from "./operations/operation.ts";
import { siteRoutes } from "./site.ts";

/** What the administration interface needs. */
export type Parts = Services & {
  /** Limit attempts to sign in, and requests without valid credentials, by client address. */
  signIns: AnonymousLimiter;
  anonymous: AnonymousLimiter;
  /** All metrics in Prometheus's text format, and who may read them. */
  metrics: () => Promise<string>;
  metricsAccess: "anyone" | "operators";
  health: Health;
  logRequest?: LogRequest | undefined;
};

const PREFIX = "/admin/v1";

/** The administration interface as a function from requests to responses. */
export function createAdministrationApp(parts: Parts): App {
  const { health, report, trustedProxies, metricsAccess, logRequest } = parts;
  const authentication = new Authentication(parts);
  const site = siteRoutes({ ...parts, authentication: metricsAccess === "operators" ? authentication : undefined });
  const router = routerOf<AdministrationOperation>(PREFIX, operations);

  /** docs/administration.md publishes this order of checks. */
  const respond = async (context: RequestContext): Promise<Response> => {
    if (health.isStopping()) context.headers.Connection = "close";
    context.headers["X-Content-Type-Options"] = "nosniff";
    if (!isUnderPrefix(context.path)) return site.fetch(asGet(context.request), context);
    context.headers["Cache-Control"] = "no-store";

    const { operation, allowed } = router(context.request.method, context.path);
    if (operation?.role === "none") {
      authentication.countSignIn(context); // 429
      refuseCrossSite(context, trustedProxies); // 403
      return operation.handle(parts)(context); // 413, 415, 400, 401
    }
    const operatorContext = await authentication.authenticate(context); // 401, 429; 403 for a cross-site request
    if (operation === undefined) throw noOperation(allowed, context); // 404, 405
    requireRole(operatorContext.operator, operation.role); // 403
    return operation.handle(parts)(operatorContext); // 413, 415, 400, 404, 409
  };

  const app = (context: RequestContext): Promise<Response> =>
    respond(context).catch((error) => errorResponse(context, error, report));
  return (request, peer) => {
    const context = newContext(request, peer, router);
    return logRequest === undefined ? app(context) : logged(context, app, logRequest);
  };
}

function isUnderPrefix(path: string): boolean {
  return path === PREFIX || path.startsWith(`${PREFIX}/`);
}

/** The error for a path without operations, or with operations of other methods. */
function noOperation(allowed: readonly string[], { headers }: RequestContext): PetstoreError {
  if (allowed.length === 0) {
    return new PetstoreError("not_found", { message: "There is nothing at this path. See /admin/openapi.json." });
  }
  headers.Allow = allowed.join(", ");
  return new PetstoreError("method_not_allowed", { message: `This path answers ${headers.Allow}.` });
}

/** @throws insufficient_role for an operation that needs an admin, by a viewer */
function requireRole(operator: Operator, role: Role): void {
  if (role === "admin" && operator.role !== "admin") throw new PetstoreError("insufficient_role");
}

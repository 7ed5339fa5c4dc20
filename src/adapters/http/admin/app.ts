import type { AuditLog } from "../../../domain/audit/log.ts";
import { type Awaitable, after, rescued } from "../../../domain/awaitable.ts";
import type { Clock } from "../../../domain/clock.ts";
import type { Deployment } from "../../../domain/deployment.ts";
import type { Counters } from "../../../domain/keys/counters.ts";
import type { KeyStore } from "../../../domain/keys/store.ts";
import type { Limiter } from "../../../domain/limits/limiter.ts";
import type { OperatorStore } from "../../../domain/operators/store.ts";
import type { PetStore } from "../../../domain/pets/store.ts";
import type { UsageStore } from "../../../domain/usage/store.ts";
import type { App } from "../app.ts";
import type { parseRanges } from "../client-address.ts";
import { errorResponse, type Report } from "../errors.ts";
import type { AnonymousLimiter } from "../limits.ts";
import { newContext, type RequestContext } from "../request-context.ts";
import { entryOf, type LogRequest } from "../request-log.ts";
import { asGet, type Health } from "../site.ts";
import { apiRoutes, isSignIn, isUnderPrefix } from "./api.ts";
import { auditHandlers } from "./audit.ts";
import { Authentication } from "./authenticate.ts";
import type { Catalogue } from "./catalogue.ts";
import { deprecationHandlers } from "./deprecations.ts";
import { keyHandlers } from "./keys.ts";
import { operatorHandlers } from "./operators.ts";
import { overviewHandlers } from "./overview.ts";
import { petHandlers } from "./pets.ts";
import type { State } from "./schemas.ts";
import { sessionHandlers } from "./sessions.ts";
import { siteRoutes } from "./site.ts";
import { stateHandlers } from "./state.ts";
import { usageHandlers } from "./usage.ts";

/** Everything the administration interface stands on. */
export type Parts = {
  keys: KeyStore;
  operators: OperatorStore;
  audit: AuditLog;
  pets: PetStore;
  counters: Counters;
  usage: UsageStore;
  catalogue: Catalogue;
  /** Where a key stands, for all nodes together. @throws while that cannot be had */
  standing: Limiter["status"];
  state: () => Promise<State>;
  /** Count attempts to sign in, and requests with wrong credentials, by client address. */
  signIns: AnonymousLimiter;
  anonymous: AnonymousLimiter;
  /** Everything that was measured, in Prometheus's text format, and who may see it. */
  metrics: () => Promise<string>;
  metricsAccess: "anyone" | "operators";
  health: Health;
  clock: Clock;
  deployment: Deployment;
  trustedProxies: ReturnType<typeof parseRanges>;
  report: Report;
  logRequest?: LogRequest | undefined;
};

/**
 * The administration interface as a function from requests to responses. The order of its checks: credentials 401 and 429,
 * cross-site requests 403, route 404 and 405, role 403; then the operation's own: body 413, 415, 400, existence 404, state 409.
 */
export function createAdministrationApp(parts: Parts): App {
  const { health, report, metricsAccess, logRequest } = parts;
  const authentication = new Authentication(parts);
  const sessions = sessionHandlers(parts, authentication);
  const site = siteRoutes({ ...parts, measuresFor: metricsAccess === "operators" ? authentication : undefined });
  const api = apiRoutes(
    {
      sessions,
      keys: keyHandlers(parts),
      operators: operatorHandlers(parts),
      pets: petHandlers(parts),
      audit: auditHandlers(parts),
      usage: usageHandlers(parts),
      overview: overviewHandlers(parts),
      deprecations: deprecationHandlers(parts),
      state: stateHandlers(parts),
    },
    report,
  );

  const answer = (context: RequestContext): Awaitable<Response> => {
    if (health.isStopping()) context.headers.Connection = "close";
    context.headers["X-Content-Type-Options"] = "nosniff";
    if (!isUnderPrefix(context.path)) return site.fetch(asGet(context.request), context);
    context.headers["Cache-Control"] = "no-store";
    if (isSignIn(context.request.method, context.path)) return sessions.signIn(context);
    return after(authentication.admit(context), (operated) => api.fetch(asGet(operated.request), operated));
  };

  const app = (context: RequestContext): Awaitable<Response> =>
    rescued(
      () => answer(context),
      (error) => errorResponse(context, error, report),
    );
  if (logRequest === undefined) return (request, peer) => app(newContext(request, peer));
  return (request, peer) => {
    const context = newContext(request, peer);
    return after(app(context), (response) => {
      logRequest(entryOf(context, response.status));
      return response;
    });
  };
}

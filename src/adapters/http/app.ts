import { type Awaitable, after, rescued } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { ActivityRecorder } from "../../domain/keys/activity.ts";
import type { KeyStore } from "../../domain/keys/store.ts";
import type { Limiter } from "../../domain/limits/limiter.ts";
import type { PetStore } from "../../domain/pets/store.ts";
import type { Point } from "../../domain/usage/point.ts";
import type { RequestRecorder } from "../../domain/usage/recorder.ts";
import { Admission, type AnonymousLimiter } from "./admission.ts";
import { apiRoutes, isUnderPrefix } from "./api.ts";
import { authenticator } from "./authenticate.ts";
import type { parseRanges } from "./client-address.ts";
import { Cors } from "./cors.ts";
import { getPetDeprecation } from "./deprecation.ts";
import { errorResponse, type Report } from "./errors.ts";
import { petHandlers } from "./pets.ts";
import { recorded } from "./recorded.ts";
import { newContext, type Peer, type RequestContext } from "./request-context.ts";
import { type LogRequest, logged } from "./request-log.ts";
import { type Health, siteRoutes } from "./site.ts";
import { usageHandler } from "./usage.ts";

/** Everything the app stands on. */
export type Parts = {
  pets: PetStore;
  findBySecret: KeyStore["findBySecret"];
  limiter: Limiter;
  addresses: AnonymousLimiter;
  activity: ActivityRecorder;
  health: Health;
  /** Called once a request, before anything is looked up: what the stores know by heart is exact as of then. */
  refresh: () => void;
  clock: Clock;
  deployment: Deployment;
  /** The base addresses of both deployments, ending in /v1. */
  baseUrls: Record<Deployment, string>;
  trustedProxies: ReturnType<typeof parseRanges>;
  corsOrigins: string[];
  report: Report;
  /** Each is told of every request under /v1. */
  recorders: RequestRecorder[];
  /** What a key did in the 24 hours up to the one that `now` (Unix ms) is in, oldest first. */
  lastDay: (keyId: string, now: number) => Awaitable<Point[]>;
  logRequest?: LogRequest | undefined;
  /** Answers a request under /v1 within a trace. */
  trace?: Trace | undefined;
};

type Trace = (context: RequestContext, answer: (context: RequestContext) => Awaitable<Response>) => Awaitable<Response>;

/** Answers one request. */
export type App = (request: Request, peer: Peer) => Awaitable<Response>;

/**
 * The service as a function from requests to responses. The order of its checks is published: authentication 401,
 * ban and limits 429, route 404 and 405; then the operation's own: sunset 410, scope 403, body 413, 415, 400, existence 404.
 */
export function createApp(parts: Parts): App {
  const { health, report, recorders, clock, logRequest, trace } = parts;
  const deprecation = getPetDeprecation(parts.baseUrls[parts.deployment], parts.clock);
  const admission = new Admission(authenticator(parts.findBySecret, parts.deployment, parts.clock), parts);
  const pets = petHandlers({ ...parts, deprecation, baseUrl: parts.baseUrls[parts.deployment] });
  const api = apiRoutes(pets, usageHandler(parts), report);
  const site = siteRoutes(parts);
  const cors = new Cors(parts.corsOrigins);

  const answer = (context: RequestContext): Awaitable<Response> => {
    if (health.isStopping()) context.headers.Connection = "close";
    if (!isUnderPrefix(context.path)) return site.fetch(asGet(context.request), context);
    deprecation.addHeaders(context);
    cors.addHeaders(context);
    if (cors.isPreflight(context.request)) {
      admission.countAnonymous(context);
      return cors.answerPreflight(context);
    }
    return after(admission.admit(context), (admitted) => api.fetch(asGet(admitted.request), admitted));
  };

  const answerOrRefuse = (context: RequestContext): Awaitable<Response> =>
    rescued(
      () => answer(context),
      (error) => errorResponse(context, error, report),
    );
  const app = (context: RequestContext): Awaitable<Response> =>
    isUnderPrefix(context.path) ? recorded(context, answerOrRefuse, recorders, clock) : answerOrRefuse(context);
  const told = logRequest === undefined ? app : (context: RequestContext) => logged(context, app, logRequest);
  if (trace === undefined) return (request, peer) => told(newContext(request, peer));
  return (request, peer) => {
    const context = newContext(request, peer);
    return isUnderPrefix(context.path) ? trace(context, told) : told(context);
  };
}

/** HEAD is answered as GET is; both runtimes leave the body away by themselves. */
export function asGet(request: Request): Request {
  if (request.method !== "HEAD") return request;
  const { url, headers } = request;
  const target = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  return new Request(`http://localhost${target}`, { headers });
}

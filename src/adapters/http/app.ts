import { type Awaitable, after, rescued } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { ActivityRecorder } from "../../domain/keys/activity.ts";
import type { KeyStore } from "../../domain/keys/store.ts";
import type { Limiter } from "../../domain/limits/limiter.ts";
import type { PetStore } from "../../domain/pets/store.ts";
import type { Point } from "../../domain/usage/point.ts";
import type { RequestRecorder } from "../../domain/usage/recorder.ts";
import { Admission, type StrangerLimiter } from "./admission.ts";
import { apiRoutes, isUnderPrefix } from "./api.ts";
import { authenticator } from "./authenticate.ts";
import type { parseRanges } from "./client-address.ts";
import { Cors } from "./cors.ts";
import { getPetDeprecation } from "./deprecation.ts";
import { errorResponse, type Report } from "./errors.ts";
import { beginExchange, type Exchange, type Peer } from "./exchange.ts";
import { petHandlers } from "./pets.ts";
import { recorded } from "./recorded.ts";
import { type LogRequest, logged } from "./request-log.ts";
import { type Health, siteRoutes } from "./site.ts";
import { usageHandler } from "./usage.ts";

/** Everything the app stands on. */
export type Parts = {
  pets: PetStore;
  findBySecret: KeyStore["findBySecret"];
  limiter: Limiter;
  addresses: StrangerLimiter;
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

type Trace = (exchange: Exchange, answer: (exchange: Exchange) => Awaitable<Response>) => Awaitable<Response>;

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

  const answer = (exchange: Exchange): Awaitable<Response> => {
    if (health.isStopping()) exchange.headers.Connection = "close";
    if (!isUnderPrefix(exchange.path)) return site.fetch(asGet(exchange.request), exchange);
    deprecation.addHeaders(exchange);
    cors.addHeaders(exchange);
    if (cors.isPreflight(exchange.request)) {
      admission.countStranger(exchange);
      return cors.answerPreflight(exchange);
    }
    return after(admission.admit(exchange), (admitted) => api.fetch(asGet(admitted.request), admitted));
  };

  const answerOrRefuse = (exchange: Exchange): Awaitable<Response> =>
    rescued(
      () => answer(exchange),
      (error) => errorResponse(exchange, error, report),
    );
  const app = (exchange: Exchange): Awaitable<Response> =>
    isUnderPrefix(exchange.path) ? recorded(exchange, answerOrRefuse, recorders, clock) : answerOrRefuse(exchange);
  const told = logRequest === undefined ? app : (exchange: Exchange) => logged(exchange, app, logRequest);
  if (trace === undefined) return (request, peer) => told(beginExchange(request, peer));
  return (request, peer) => {
    const exchange = beginExchange(request, peer);
    return isUnderPrefix(exchange.path) ? trace(exchange, told) : told(exchange);
  };
}

/** HEAD is answered as GET is; both runtimes leave the body away by themselves. */
export function asGet(request: Request): Request {
  if (request.method !== "HEAD") return request;
  const { url, headers } = request;
  const target = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  return new Request(`http://localhost${target}`, { headers });
}

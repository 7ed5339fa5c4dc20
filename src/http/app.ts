import { getPath } from "hono/utils/url";
import { type Awaitable, after, rescued } from "../awaitable.ts";
import type { Clock } from "../clock.ts";
import type { Deployment } from "../deployment.ts";
import { PetstoreError } from "../errors.ts";
import type { ActivityRecorder } from "../keys/activity.ts";
import type { Key } from "../keys/key.ts";
import type { KeyStore } from "../keys/store.ts";
import { limitHeaders } from "../limits/headers.ts";
import type { Decision, Limiter } from "../limits/limiter.ts";
import type { PetStore } from "../pets/store.ts";
import { apiRoutes, PREFIX } from "./api.ts";
import { authenticator } from "./authenticate.ts";
import { clientAddress, type parseRanges } from "./client-address.ts";
import { Cors } from "./cors.ts";
import { deprecationHeaders } from "./deprecation.ts";
import { errorResponse, type Report } from "./errors.ts";
import type { Exchange } from "./exchange.ts";
import { requireAllowed } from "./limit.ts";
import { petHandlers } from "./pets.ts";
import { requestIdOf } from "./request-id.ts";
import { type Health, siteRoutes } from "./site.ts";

/** Everything the app stands on. */
export type Parts = {
  pets: PetStore;
  keys: KeyStore;
  limiter: Limiter;
  /** Counts requests without a valid key, by client address. */
  addresses: { take(address: string): Decision };
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
  /** Is told of every request that was answered. It gets neither query nor headers: both may hold secrets. */
  logRequest?: ((entry: RequestEntry) => void) | undefined;
};

export type RequestEntry = {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  requestId: string;
  keyId: string | undefined;
};

/** Answers one request. `peer` gives the address at the other end of the connection. */
export type App = (request: Request, peer: () => string) => Awaitable<Response>;

/** lastUsedAt is accurate to this many milliseconds. */
const LAST_USE_ACCURACY = 60_000;

/** The service as a function from requests to responses, in the published order of checks. */
export function createApp(parts: Parts): App {
  const { limiter, addresses, activity, clock, health, report, logRequest, trustedProxies } = parts;
  const baseUrl = parts.baseUrls[parts.deployment];
  const api = apiRoutes(petHandlers({ ...parts, baseUrl }), report);
  const site = siteRoutes(parts);
  const cors = new Cors(parts.corsOrigins);
  const authenticate = authenticator(parts.keys, parts.deployment, clock);

  return (request, peer) => {
    const started = performance.now();
    const path = getPath(request);
    const exchange: Exchange = { requestId: requestIdOf(request), headers: {} };
    exchange.headers["X-Request-Id"] = exchange.requestId;
    if (health.isStopping()) exchange.headers.Connection = "close";
    const response = rescued(
      () => answer(request, path, exchange, peer),
      (error) => errorResponse(exchange, error, report),
    );
    return logRequest === undefined
      ? response
      : after(response, (answered) => logged(request, path, exchange, answered, started));
  };

  function answer(request: Request, path: string, exchange: Exchange, peer: () => string): Awaitable<Response> {
    if (path !== PREFIX && !path.startsWith(`${PREFIX}/`)) return site.fetch(asGet(request), exchange);
    Object.assign(exchange.headers, cors.headersFor(request), deprecationHeaders(request.method, path, baseUrl));
    const preflight = cors.preflightHeaders(request);
    if (preflight !== undefined) {
      countStranger(exchange, request, peer);
      return new Response(null, { status: 204, headers: { ...exchange.headers, ...preflight } });
    }
    return after(identify(request), (caller) => {
      if (caller instanceof PetstoreError) {
        countStranger(exchange, request, peer);
        throw caller;
      }
      return after(limiter.take(caller), (decision) => {
        admit(exchange, caller, decision);
        return api.fetch(asGet(request), { ...exchange, caller });
      });
    });
  }

  /** Who is calling. A key store that cannot be reached leaves the caller a stranger, who is told that. */
  function identify(request: Request): Awaitable<Key | PetstoreError> {
    const look = (): Awaitable<Key | PetstoreError> => {
      parts.refresh();
      return authenticate(request.headers.get("Authorization"));
    };
    return rescued(look, (error) => {
      if (error instanceof PetstoreError) return error;
      throw error;
    });
  }

  /** @throws rate_limit_exceeded */
  function countStranger(exchange: Exchange, request: Request, peer: () => string): void {
    const address = clientAddress(peer(), request.headers.get("X-Forwarded-For"), trustedProxies);
    const decision = addresses.take(address);
    Object.assign(exchange.headers, limitHeaders(decision));
    requireAllowed(decision);
  }

  /** @throws rate_limit_exceeded, quota_exceeded, key_banned */
  function admit(exchange: Exchange, caller: Key, decision: Decision): void {
    exchange.keyId = caller.id;
    Object.assign(exchange.headers, limitHeaders(decision));
    if (decision.now - (caller.lastUsedAt ?? 0) >= LAST_USE_ACCURACY) activity.used(caller.id, decision.now);
    requireAllowed(decision);
  }

  function logged(request: Request, path: string, exchange: Exchange, response: Response, started: number): Response {
    const milliseconds = Math.round((performance.now() - started) * 1000) / 1000;
    const { requestId, keyId } = exchange;
    logRequest?.({ method: request.method, path, status: response.status, milliseconds, requestId, keyId });
    return response;
  }
}

/** HEAD is answered as GET is; both runtimes leave the body away by themselves. */
function asGet(request: Request): Request {
  if (request.method !== "HEAD") return request;
  const url = request.url;
  const path = url.slice(url.indexOf("/", url.indexOf("://") + 3));
  return new Request(`http://localhost${path}`, { headers: request.headers });
}

import { type RequestKey, secretRefusal } from "../../domain/keys/key.ts";
import type { ActivityRecorder, FindKey, SimulationOf } from "../../domain/keys/store.ts";
import type { Limiter } from "../../domain/limits/limiter.ts";
import type { PetStore } from "../../domain/pets.ts";
import { SIMULATE } from "../../domain/simulation.ts";
import type { Clock } from "../../domain/time.ts";
import {
  addDeprecationHeaders,
  addLimitHeaders,
  recordUse,
  requireNotRemoved,
  requireScope,
  secretIn,
} from "./checks.ts";
import type { Cors } from "./cors.ts";
import type { ReadContext } from "./operation.ts";
import type { AdmittedContext, PublicContext, PublicOperation } from "./operations/operation.ts";
import type { CachedPage, PageCache } from "./page-cache.ts";
import { type RecordServices, record } from "./record.ts";
import { asksToClose, firstHeaders, hasValidHost, type RequestHead, requestIdOf } from "./request.ts";
import { errorAnswer, type Report, type Representation, representationAnswer } from "./responses.ts";
import type { Router } from "./routes.ts";
import type { Health } from "./site.ts";

/** A response before the runtime makes it. */
export type Answer = { status: number; headers: Record<string, string>; body: string | null };

export type RespondAtOnce = (request: RequestHead) => Answer | undefined;

type OrdinaryCaseServices = RecordServices & {
  pages: PageCache<PublicOperation>;
  pets: Pick<PetStore, "revision">;
  findKey: FindKey;
  limiter: Limiter;
  activity: ActivityRecorder;
  health: Health;
  simulationOf?: SimulationOf | undefined;
  refresh: () => void;
  report: Report;
  clock: Clock;
  baseUrl: string;
};

/** What a request reads: its page if that is cached, otherwise what the operation of its route reads. */
type Target = Omit<Cached, "page"> & Partial<Pick<Cached, "page">>;
type Cached = CachedPage<PublicOperation>;

/** The request and what was found out about it. */
type Context = ReadContext<PublicContext> &
  Pick<AdmittedContext, "key" | "requestId" | "headers" | "startedAt" | "decision" | "error">;

/** A URL that the runtimes parse into the same one, with its path: it has no escapes, dot segments or fragment. */
const PLAIN_URL = /^https?:\/\/[^/]+(\/[\w/-]*)(?:\?[^#]*)?$/;

/**
 * The ordinary case: a valid key that is found at once, with requests left, reads from a store that answers at once. One straight
 * function does for it what `respond` in app.ts does for all requests, with the same functions and the same bytes, in less
 * time. It returns undefined in any other case, where nothing is counted or recorded yet: then the request takes the usual way.
 */
export function ordinaryCase(
  services: OrdinaryCaseServices,
  router: Router<PublicOperation>,
  cors: Cors,
): RespondAtOnce {
  const { pages, pets, findKey, limiter, activity, health, simulationOf, refresh, report, clock } = services;

  /** The key of the request; undefined unless it is found at once, valid, and simulates nothing. */
  function keyOf({ headers }: RequestHead): RequestKey | undefined {
    const found = findKey(secretIn(headers.get("Authorization") ?? ""));
    if (found === undefined || found instanceof Promise) return undefined;
    const { key, secret } = found;
    if (secretRefusal(key, secret, clock()) !== undefined) return undefined;
    return simulationOf !== undefined && key.simulation !== undefined ? undefined : key;
  }

  /** What the request reads, with its page if that is cached. A store that has a revision answers at once. */
  function targetOf({ url }: RequestHead): Target | undefined {
    const revision = pets.revision();
    if (revision === undefined) return undefined;
    const cached = pages.get(url, revision);
    if (cached !== undefined) return cached;
    const path = PLAIN_URL.exec(url)?.[1];
    return path === undefined ? undefined : { path, route: router("GET", path) };
  }

  /** What passes the checks before the limits. */
  function admit(request: RequestHead) {
    if (request.method !== "GET" || !isPlain(request)) return undefined;
    refresh();
    const target = targetOf(request);
    const operation = target?.route.operation;
    if (target === undefined || operation?.read === undefined) return undefined;
    const key = keyOf(request);
    return key && { target, operation, key };
  }

  /** The checks after the limits, and what the operation reads. */
  function answerTo(operation: PublicOperation, context: Context, page: Representation | undefined) {
    try {
      requireNotRemoved(operation, context, services); // 410
      requireScope(operation, context); // 403
      return representationAnswer(page ?? readAtOnce(operation, context), context.request, context.headers); // 400, 404
    } catch (error) {
      return errorAnswer(context, error, report);
    }
  }

  return (request) => {
    if (limiter.takeAtOnce === undefined || health.isStopping()) return undefined;
    const startedAt = performance.now();
    const admitted = orUndefined(() => admit(request));
    if (admitted === undefined) return undefined;
    const { target, operation, key } = admitted;
    const decision = limiter.takeAtOnce(key);
    if (decision === undefined) return undefined;
    recordUse(activity, key, decision.now);

    const { path, route, page } = target;
    const requestId = requestIdOf(request);
    const headers = firstHeaders(requestId);
    headers["Cache-Control"] = "no-store";
    const context: Context = { request, path, route, key, requestId, headers, startedAt, decision, error: undefined };
    addDeprecationHeaders(context, services);
    cors.addHeaders(context);
    addLimitHeaders(headers, decision);
    const { status, body } = answerTo(operation, context, page);
    record(context, status, services);
    return { status, headers, body };
  };
}

/** Whether the head of a request asks for nothing but the page: it has no body, keeps its connection, and simulates nothing. */
function isPlain(request: RequestHead): boolean {
  const { headers } = request;
  if (headers.get("Host") === null || !hasValidHost(request) || asksToClose(request)) return false;
  const isBodiless = headers.get("Content-Length") === null && headers.get("Transfer-Encoding") === null;
  return isBodiless && headers.get(SIMULATE) === null;
}

/** @throws when the store does not answer at once: none that has a revision does */
function readAtOnce(operation: PublicOperation, context: Context): Representation {
  const found = operation.read?.(context);
  if (found === undefined || found instanceof Promise) throw new Error(`${operation.id} does not answer at once`);
  return found;
}

/** What fails here fails in the same way on the usual way, which reports it. */
function orUndefined<T>(call: () => T): T | undefined {
  try {
    return call();
  } catch {
    return undefined;
  }
}

import { z } from "zod";
import { type Awaitable, caught } from "../../domain/awaitable.ts";
import { nameTaken } from "../../domain/categories.ts";
import { invalidParameters, PetstoreError, type PublicErrorCode } from "../../domain/errors.ts";
import { type RequestSecret, secretRefusal } from "../../domain/keys/key.ts";
import { reserved } from "../../domain/orders.ts";
import { requireNotReserved, type StoredPet } from "../../domain/pets.ts";
import { parseSimulation, SIMULATE, type Simulation, simulationText } from "../../domain/simulation.ts";
import { orderTransitions, petTransitions, requireTransition } from "../../domain/transitions.ts";
import {
  CHALLENGE,
  PATHS_HINT,
  refuseByLimits,
  refuseUnauthenticated,
  removed,
  removeLimitHeaders,
  requireOperation,
  requireScope,
  showAddressLimit,
} from "./checks.ts";
import { malformedResponse } from "./malformed.ts";
import type { AdmittedContext, Services } from "./operation.ts";
import { readHeaders, readQuery } from "./parameters.ts";
import { record } from "./record.ts";
import { bodyReader, CUT, type HttpResponse, type RequestContext, requireBody } from "./request.ts";
import { errorResponse } from "./responses.ts";
import { noRoutes } from "./routes.ts";

/** How many requests may wait at once: each keeps a connection and its response. */
const MOST = 1_000;
/** How many of them may be of one key, so that others can wait too. */
const MOST_OF_KEY = 100;

/** The responses that are delayed. They hold nothing of a store. */
export class Delays {
  readonly #stopping: AbortSignal;
  /** How each pending delay is ended early. */
  readonly #ends = new Set<() => void>();
  /** How many places each key has taken. */
  readonly #places = new Map<string, number>();
  #taken = 0;

  /** When `stopping` is aborted, the delays end. */
  constructor(stopping: AbortSignal) {
    this.#stopping = stopping;
    stopping.addEventListener("abort", () => {
      for (const end of this.#ends) end();
    });
  }

  /** Takes a place for a request of a key, which `wait` gives back. @throws invalid_parameter when none is left */
  enter(keyId: string): void {
    const places = this.#places.get(keyId) ?? 0;
    if (this.#taken >= MOST) throw full(`${MOST} requests`);
    if (places >= MOST_OF_KEY) throw full(`${MOST_OF_KEY} requests of this key`);
    this.#places.set(keyId, places + 1);
    this.#taken += 1;
  }

  /** Resolves after so many milliseconds, or earlier when the client has left or the service stops. */
  async wait({ connection: { signal }, key }: AdmittedContext, milliseconds: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = () => resolve();
    const timer = setTimeout(end, milliseconds);
    this.#ends.add(end);
    signal.addEventListener("abort", end, { once: true });
    if (this.#stopping.aborted || signal.aborted) end();
    await promise;
    clearTimeout(timer);
    this.#ends.delete(end);
    signal.removeEventListener("abort", end);
    this.#leave(key.id);
  }

  #leave(keyId: string): void {
    const places = this.#places.get(keyId) ?? 0;
    if (places > 1) this.#places.set(keyId, places - 1);
    else this.#places.delete(keyId);
    this.#taken -= 1;
  }
}

function full(waiting: string): PetstoreError {
  const problem = `must not have a delay now: ${waiting} wait already`;
  return invalidParameters("header", [{ field: SIMULATE, problem }]);
}

type ContentError =
  | "invalid_json"
  | "validation_failed"
  | "payload_too_large"
  | "unsupported_media_type"
  | "invalid_parameter";

/** A body with this Content-Type, by default the first one that the operation takes. */
type Body = { text: string; type?: string };

/** Bodies that are refused. That of `validation_failed` is tried in this order: a change may be empty. */
const bodies: Record<Exclude<ContentError, "invalid_parameter" | "payload_too_large">, Body[]> = {
  invalid_json: [{ text: "{" }],
  validation_failed: [{ text: "{}" }, { text: "[]" }],
  unsupported_media_type: [{ text: "{}", type: "text/plain" }],
};

/**
 * Reads a request to the same operation whose content has this error.
 * @throws the error, unless the operation takes neither such a body nor such a parameter
 */
function readRefusedExample(code: ContentError, context: RequestContext): void {
  if (code === "invalid_parameter") readInvalidParameter(context);
  else if (code === "payload_too_large") refuseSize(context);
  else for (const body of bodies[code]) readBody(context, body);
}

function refuseSize({ request, route: { operation } }: RequestContext): void {
  if (operation?.request?.body !== undefined) requireBody({ ...request, body: "too large" }, operation);
}

function readBody(context: RequestContext, { text, type }: Body): void {
  const { body: schema, types = ["application/json"] } = context.route.operation?.request ?? {};
  if (schema === undefined) return;
  const headers = new Headers({ "Content-Type": type ?? types[0] ?? "" });
  bodyReader(schema, types)({ ...context, request: { method: "POST", url: "/", headers, body: Buffer.from(text) } });
}

/** An empty text is no value of any parameter that has a rule. */
function readInvalidParameter({ route }: RequestContext): void {
  const { query, headers } = route.operation?.request ?? {};
  const [parameter] = Object.keys(query?.shape ?? {});
  if (parameter !== undefined) readQuery(z.object(query?.shape), `?${parameter}=`);
  const named = Object.keys(headers?.shape ?? {}).map((name): [string, string] => [name, ""]);
  if (headers !== undefined) readHeaders(headers, new Headers(named));
}

/** Throws the error, unless it does not refuse this request. */
type Refuse = (context: AdmittedContext, services: Services) => void;

const PENDING: StoredPet = { id: 1, name: "Rex", categoryId: 1n, status: "pending", version: 1 };

/**
 * What refuses a request with each code, given something to refuse: the check or the rule that does so in earnest. The
 * errors of other codes are the same for each request.
 */
const refusals: Partial<Record<PublicErrorCode, Refuse>> = {
  ...fromEach(["invalid_json", "validation_failed", "invalid_parameter"], readRefusedExample),
  ...fromEach(["payload_too_large", "unsupported_media_type"], readRefusedExample),
  ...fromEach(["missing_api_key", "invalid_api_key", "expired_api_key"], refuseUnauthenticated),
  ...fromEach(["revoked_api_key", "disabled_api_key"], refuseUnauthenticated),
  ...fromEach(["rate_limit_exceeded", "quota_exceeded", "key_banned"], refuseByLimits),
  insufficient_scope: refuseScope,
  not_found: (context) => requireOperation({ ...context, route: noRoutes("", "") }, PATHS_HINT),
  method_not_allowed: refuseMethod,
  operation_removed: ({ route }, { baseUrl }) => {
    if (route.operation !== undefined) throw removed(route.operation, route.params, baseUrl);
  },
  invalid_transition: ({ route }) => {
    if (route.operation?.tag === "orders") requireTransition("An order", orderTransitions, "delivered", "placed");
    requireTransition("A pet", petTransitions, "sold", "pending");
  },
  pet_reserved: () => requireNotReserved(PENDING.id),
  pet_not_available: () => reserved(PENDING),
  category_exists: () => {
    throw nameTaken(PENDING.categoryId);
  },
};

/** Refuses a request with this code, as it really is refused. @throws the error, unless its response is returned */
function refuseAs(code: PublicErrorCode, context: AdmittedContext, services: Services): HttpResponse {
  if (code === "request_header_too_large") return headersRefusal(context, services);
  refusals[code]?.(context, services);
  throw new PetstoreError(code);
}

function fromEach<Code extends PublicErrorCode>(
  codes: readonly Code[],
  refuse: (code: Code, context: AdmittedContext, services: Services) => void,
): Partial<Record<PublicErrorCode, Refuse>> {
  return Object.fromEntries(
    codes.map((code): [Code, Refuse] => [code, (context, services) => refuse(code, context, services)]),
  );
}

function refuseScope(context: AdmittedContext): void {
  const { route, key, headers } = context;
  if (route.operation !== undefined) requireScope(route.operation, { ...context, key: { ...key, scopes: [] } });
  headers["WWW-Authenticate"] = `${CHALLENGE}, error="insufficient_scope"`;
}

/** The real one has not read the request: its id is its own, and nothing marks it. */
function headersRefusal(context: AdmittedContext, services: Services): HttpResponse {
  const { headers } = context;
  removeLimitHeaders(headers);
  showAddressLimit(context, services);
  return malformedResponse("headers", headers);
}

/** A path that does not exist has no methods (RFC 9110, 10.2.1). */
function refuseMethod(context: AdmittedContext): void {
  const { route, headers } = context;
  if (route.allowed.length === 0) headers.Allow = "";
  else requireOperation({ ...context, route: { ...route, operation: undefined } }, PATHS_HINT);
}

type SimulationServices = Services & { delays: Delays };

/** What the log shows for a connection that is cut before anything is done; as in nginx, it means "no response". */
const NO_RESPONSE = 444;

/**
 * Returns the simulation of a request: that of its header, otherwise that of its key.
 * @throws invalid_parameter for an invalid header, and on production for any
 */
export function simulationFor(
  { request, key }: AdmittedContext,
  services: SimulationServices,
): Awaitable<Simulation | undefined> {
  const text = request.headers.get(SIMULATE);
  if (text === null) return services.simulationOf?.(key);
  if (services.deployment === "production") throw notOnProduction();
  return parseSimulation(text);
}

function notOnProduction(): PetstoreError {
  const problem = "is for staging: production simulates nothing";
  return invalidParameters("header", [{ field: SIMULATE, problem }]);
}

/**
 * Responds to a request with a valid `secret` that was counted. `perform` does what it would do without the simulation.
 * Delays and cuts follow: see `conclude`. @throws invalid_parameter when too many requests are delayed
 */
export function simulate(
  context: AdmittedContext,
  simulation: Simulation,
  { secret, perform }: { secret: RequestSecret; perform: () => Awaitable<HttpResponse> },
  services: SimulationServices,
): Awaitable<HttpResponse> {
  const { code, cut, delay, now } = simulation;
  if (delay !== undefined) services.delays.enter(context.key.id);
  context.simulation = simulation;
  context.headers["Petstore-Simulated"] = simulationText(simulation);
  if (cut === "disconnect") return { status: NO_RESPONSE, headers: {}, body: null };
  if (code !== undefined) return refused(code, context, services);
  if (now !== undefined) requireValid(context, secret, now, services);
  return perform();
}

/** The error response of a code. It is no failure of the service, and not reported as one. */
function refused(
  code: PublicErrorCode,
  context: AdmittedContext,
  services: SimulationServices,
): Awaitable<HttpResponse> {
  return caught(
    () => refuseAs(code, context, services),
    (error) => {
      if (error instanceof PetstoreError && error.code === code) return errorResponse(context, error, () => {});
      throw error;
    },
  );
}

/** @throws revoked_api_key, expired_api_key, disabled_api_key when the key or its secret is not valid at `now` (Unix ms) */
function requireValid(
  context: AdmittedContext,
  secret: RequestSecret,
  now: number,
  services: SimulationServices,
): void {
  const refusal = secretRefusal(context.key, secret, now);
  if (refusal !== undefined) refuseUnauthenticated(refusal, context, services);
}

/** Delays the response to a simulated request and cuts its connection, as its simulation says, and records it. */
export async function conclude(
  context: AdmittedContext,
  { delay, cut: cutAt }: Simulation,
  response: HttpResponse,
  services: SimulationServices,
): Promise<HttpResponse> {
  if (delay !== undefined) await services.delays.wait(context, delay);
  record(context, response.status, services);
  // A cache must not answer other requests with it. It keeps no error.
  const { Vary } = response.headers;
  if (response.status < 400) response.headers.Vary = Vary === undefined ? SIMULATE : `${Vary}, ${SIMULATE}`;
  return cutAt === undefined ? response : CUT;
}

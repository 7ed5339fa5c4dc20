import { type Awaitable, caught } from "../../domain/awaitable.ts";
import type { Deployment } from "../../domain/deployment.ts";
import type { PublicErrorCode } from "../../domain/error-catalogue.ts";
import { PetstoreError } from "../../domain/errors.ts";
import { type RequestSecret, refusalOf } from "../../domain/keys/key.ts";
import type { SimulationOf } from "../../domain/keys/rehearsal.ts";
import { parseSimulation, SIMULATE, type Simulation, simulationText } from "../../domain/simulation/simulation.ts";
import { refuseUnauthenticated } from "./authenticate.ts";
import type { Delays } from "./delays.ts";
import { errorResponse } from "./errors.ts";
import type { AdmittedContext } from "./operations/operation.ts";
import { type Services as RecordServices, record } from "./record.ts";
import { type Services as RefusalServices, refuseAs } from "./simulated-refusal.ts";
import { cut } from "./unread-body.ts";

type Services = RefusalServices & {
  deployment: Deployment;
  delays: Delays;
  simulationOf?: SimulationOf | undefined;
};

/** What the log shows for a connection that is cut before anything is done; as in nginx, it means "no response". */
const NO_RESPONSE = 444;

/**
 * Returns the simulation of a request: that of its header, otherwise that of its key.
 * @throws invalid_parameter for an invalid header, and on production for any
 */
export function simulationFor(
  { request, key }: AdmittedContext,
  services: Services,
): Awaitable<Simulation | undefined> {
  const text = request.headers.get(SIMULATE);
  if (text === null) return services.simulationOf?.(key);
  if (services.deployment === "production") throw notOnProduction();
  return parseSimulation(text);
}

function notOnProduction(): PetstoreError {
  const problem = "is for staging: production simulates nothing";
  const message = `Header ${SIMULATE} ${problem}.`;
  return new PetstoreError("invalid_parameter", { message, details: [{ in: "header", field: SIMULATE, problem }] });
}

/**
 * Responds to a request with a valid `secret` that was counted. `perform` does what it would do without the simulation.
 * Delays and cuts follow: see `conclude`. @throws invalid_parameter when too many requests are delayed
 */
export function simulate(
  context: AdmittedContext,
  simulation: Simulation,
  { secret, perform }: { secret: RequestSecret; perform: () => Awaitable<Response> },
  services: Services,
): Awaitable<Response> {
  const { code, cut, delay, now } = simulation;
  if (delay !== undefined) services.delays.enter(context.key.id);
  context.simulation = simulation;
  context.headers["Petstore-Simulated"] = simulationText(simulation);
  if (cut === "disconnect") return new Response(null, { status: NO_RESPONSE });
  if (code !== undefined) return refused(code, context, services);
  if (now !== undefined) requireValid(context, secret, now, services);
  return perform();
}

/** The error response of a code. It is no failure of the service, and not reported as one. */
function refused(code: PublicErrorCode, context: AdmittedContext, services: Services): Awaitable<Response> {
  return caught(
    () => refuseAs(code, context, services),
    (error) => {
      if (error instanceof PetstoreError && error.code === code) return errorResponse(context, error, () => {});
      throw error;
    },
  );
}

/** @throws revoked_api_key, expired_api_key, disabled_api_key when the key or its secret is not valid at `now` (Unix ms) */
function requireValid(context: AdmittedContext, secret: RequestSecret, now: number, services: Services): void {
  const refusal = refusalOf(context.key, secret, now);
  if (refusal !== undefined) refuseUnauthenticated(refusal, context, services);
}

/** Delays the response to a simulated request and cuts its connection, as its simulation says, and records it. */
export async function conclude(
  context: AdmittedContext,
  { delay, cut: cutAt }: Simulation,
  response: Response,
  services: RecordServices & { delays: Delays },
): Promise<Response> {
  if (delay !== undefined) await services.delays.wait(context, delay);
  record(context, response.status, services);
  // A cache must not answer other requests with it. It keeps no error.
  if (response.status < 400) response.headers.append("Vary", SIMULATE);
  return cutAt === undefined ? response : cut(context.connection);
}

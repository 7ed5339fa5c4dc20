import { type AnsweredRequest, keptPath } from "../../domain/requests.ts";
import { simulationText } from "../../domain/simulation.ts";
import { OTHER } from "../../domain/usage/counting.ts";
import type { PublicContext, RequestEntry, Services } from "./operation.ts";
import type { RequestContext } from "./request.ts";

/** Returns the log entry of a request outside /v1 whose response has this status. */
export function logEntryOf<O>(
  { request, path, requestId, startedAt }: RequestContext<O>,
  status: number,
): RequestEntry {
  const milliseconds = rounded(performance.now() - startedAt);
  return { method: request.method, path: keptPath(path), status, milliseconds, requestId, keyId: undefined };
}

/** Returns the log entry of a request under /v1. */
function entryOfAnswered(answered: AnsweredRequest): RequestEntry {
  const { method, path, status, duration, requestId, keyId, simulation } = answered;
  const simulated = simulation && simulationText(simulation);
  return { method, path: keptPath(path), status, milliseconds: rounded(duration), requestId, keyId, simulated };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

/** Records a request under /v1 with the status of its response. */
export function record(context: PublicContext, status: number, services: Services): void {
  const { request, requestId, path, error, route, key, decision, cost, simulation, startedAt } = context;
  const { recorders, history, logRequest, clock } = services;
  const answered = {
    keyId: key?.id,
    plan: key?.plan,
    operation: route.operation?.id ?? OTHER,
    method: request.method,
    status,
    duration: performance.now() - startedAt,
    at: clock(),
    decision,
    cost,
    simulation,
    requestId,
    path,
    error,
  };
  for (const recorder of recorders) recorder.record(answered);
  history?.record(answered);
  logRequest?.(entryOfAnswered(answered));
}

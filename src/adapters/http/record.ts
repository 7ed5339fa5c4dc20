import type { Clock } from "../../domain/clock.ts";
import type { RequestHistoryRecorder } from "../../domain/requests/request.ts";
import { simulationText } from "../../domain/simulation/simulation.ts";
import { OTHER, type RequestRecorder } from "../../domain/usage/recorder.ts";
import type { PublicContext } from "./operations/operation.ts";
import { entryOf, type LogRequest } from "./request-log.ts";

export type Services = {
  /** Metrics and usage: each records every request under /v1. */
  recorders: RequestRecorder[];
  history?: RequestHistoryRecorder | undefined;
  clock: Clock;
  logRequest?: LogRequest | undefined;
};

/** Records a request under /v1 with the status of its response. */
export function record(
  context: PublicContext,
  { status }: Response,
  { recorders, history, clock, logRequest }: Services,
): void {
  const { request, requestId, path, error, route, key, decision, simulation, startedAt } = context;
  const entry = {
    keyId: key?.id,
    plan: key?.plan,
    operation: route.operation?.id ?? OTHER,
    method: request.method,
    status,
    duration: performance.now() - startedAt,
    at: clock(),
    decision,
    simulation,
    requestId,
    path,
    error,
  };
  for (const recorder of recorders) recorder.record(entry);
  history?.record(entry);
  logRequest?.(entryOf(context, status, key?.id, simulation && simulationText(simulation)));
}

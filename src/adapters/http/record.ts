import type { Clock } from "../../domain/clock.ts";
import type { AnsweredRequest, RequestHistoryRecorder } from "../../domain/requests/request.ts";
import { OTHER, type RequestRecorder } from "../../domain/usage/recorder.ts";
import type { PublicContext } from "./operations/operation.ts";
import { entryOfAnswered, type LogRequest } from "./request-log.ts";

export type Services = {
  /** Metrics and usage: each records every request under /v1. */
  recorders: RequestRecorder[];
  history?: RequestHistoryRecorder | undefined;
  clock: Clock;
  logRequest?: LogRequest | undefined;
};

/** Records a request under /v1 with the status of its response. */
export function record(context: PublicContext, { status }: Response, services: Services): void {
  const { request, requestId, path, error, route, key, decision, simulation, startedAt } = context;
  const answered = {
    keyId: key?.id,
    plan: key?.plan,
    operation: route.operation?.id ?? OTHER,
    method: request.method,
    status,
    duration: performance.now() - startedAt,
    at: services.clock(),
    decision,
    simulation,
    requestId,
    path,
    error,
  };
  recordAnswered(answered, services);
}

/** Records a request that has been answered. */
export function recordAnswered(answered: AnsweredRequest, { recorders, history, logRequest }: Services): void {
  for (const recorder of recorders) recorder.record(answered);
  history?.record(answered);
  logRequest?.(entryOfAnswered(answered));
}

import type { Clock } from "../../domain/clock.ts";
import type { RequestHistoryRecorder } from "../../domain/requests/request.ts";
import { OTHER, type RequestRecorder } from "../../domain/usage/recorder.ts";
import type { PublicContext } from "./operations/operation.ts";
import type { RequestHead } from "./request-head.ts";
import { entryOfAnswered, type LogRequest } from "./request-log.ts";

export type Services = {
  /** Metrics and usage: each records every request under /v1. */
  recorders: RequestRecorder[];
  history?: RequestHistoryRecorder | undefined;
  clock: Clock;
  logRequest?: LogRequest | undefined;
};

/** A request under /v1 that has been answered. */
type Answered = { request: RequestHead } & Pick<
  PublicContext,
  "path" | "route" | "requestId" | "startedAt" | "key" | "decision" | "simulation" | "error"
>;

/** Records a request under /v1 with the status of its response. */
export function record(context: Answered, status: number, services: Services): void {
  const { request, requestId, path, error, route, key, decision, simulation, startedAt } = context;
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
    simulation,
    requestId,
    path,
    error,
  };
  for (const recorder of recorders) recorder.record(answered);
  history?.record(answered);
  logRequest?.(entryOfAnswered(answered));
}

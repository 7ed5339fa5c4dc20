import { keptPath } from "../../domain/requests/path.ts";
import type { AnsweredRequest } from "../../domain/requests/request.ts";
import { simulationText } from "../../domain/simulation/simulation.ts";
import type { RequestContext } from "./request-context.ts";

/** The log entry of a request. It has neither query nor headers: both may contain secrets. */
export type RequestEntry = {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  requestId: string;
  keyId: string | undefined;
  /** What it simulated, as the response says it in Petstore-Simulated. */
  simulated?: string | undefined;
};

export type LogRequest = (entry: RequestEntry) => void;

/** Returns the log entry of a request outside /v1 whose response has this status. */
export function entryOf<O>({ request, path, requestId, startedAt }: RequestContext<O>, status: number): RequestEntry {
  const milliseconds = rounded(performance.now() - startedAt);
  return { method: request.method, path: keptPath(path), status, milliseconds, requestId, keyId: undefined };
}

/** Returns the log entry of a request under /v1. */
export function entryOfAnswered(answered: AnsweredRequest): RequestEntry {
  const { method, path, status, duration, requestId, keyId, simulation } = answered;
  const simulated = simulation && simulationText(simulation);
  return { method, path: keptPath(path), status, milliseconds: rounded(duration), requestId, keyId, simulated };
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 1000) / 1000;
}

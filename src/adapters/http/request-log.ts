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

/** Returns the log entry of a request whose response has this status. */
export function entryOf<O>(
  { request, path, requestId, startedAt }: RequestContext<O>,
  status: number,
  keyId?: string,
  simulated?: string,
): RequestEntry {
  const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000;
  return { method: request.method, path, status, milliseconds, requestId, keyId, simulated };
}

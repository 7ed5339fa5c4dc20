import type { RequestContext } from "./request-context.ts";

/** What is logged of a request: neither its query nor its headers, for both may hold secrets. */
export type RequestEntry = {
  method: string;
  path: string;
  status: number;
  milliseconds: number;
  requestId: string;
  keyId: string | undefined;
};

export type LogRequest = (entry: RequestEntry) => void;

/** The entry of a request that was answered with this status. */
export function entryOf<O>(
  { request, path, requestId, startedAt }: RequestContext<O>,
  status: number,
  keyId?: string,
): RequestEntry {
  const milliseconds = Math.round((performance.now() - startedAt) * 1000) / 1000;
  return { method: request.method, path, status, milliseconds, requestId, keyId };
}

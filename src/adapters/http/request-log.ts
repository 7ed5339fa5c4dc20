import { type Awaitable, after } from "../../domain/awaitable.ts";
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

/** What `app` answers, once that is logged. */
export function logged(
  context: RequestContext,
  app: (context: RequestContext) => Awaitable<Response>,
  log: LogRequest,
): Awaitable<Response> {
  const started = performance.now();
  return after(app(context), (response) => {
    const { request, path, requestId, caller } = context;
    const milliseconds = Math.round((performance.now() - started) * 1000) / 1000;
    log({ method: request.method, path, status: response.status, milliseconds, requestId, keyId: caller?.id });
    return response;
  });
}

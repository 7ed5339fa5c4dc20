import { type Awaitable, after } from "../../domain/awaitable.ts";
import type { Clock } from "../../domain/clock.ts";
import type { RequestRecorder } from "../../domain/usage/recorder.ts";
import type { RequestContext } from "./request-context.ts";

/** What `app` answers to a request under /v1, once every recorder was told of it. */
export function recorded(
  context: RequestContext,
  app: (context: RequestContext) => Awaitable<Response>,
  recorders: RequestRecorder[],
  clock: Clock,
): Awaitable<Response> {
  const arrived = performance.now();
  return after(app(context), (response) => {
    const { request, operation, caller, decision } = context;
    const answered = {
      keyId: caller?.id,
      operation,
      method: request.method,
      status: response.status,
      duration: performance.now() - arrived,
      at: clock(),
      decision,
    };
    for (const recorder of recorders) recorder.record(answered);
    return response;
  });
}

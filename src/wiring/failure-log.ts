import type { Report } from "../adapters/http/errors.ts";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "./log.ts";

/** How often it is logged that the service is unavailable, in ms. */
const UNAVAILABLE_EVERY = 1_000;

/**
 * Logs every 5xx with its request id. While a database is away every request fails for the same reason: that is logged
 * once a second, with the number of failures since that were not. `traceIds` returns what else the lines carry.
 */
export function failureLog(log: Log, clock: Clock, traceIds: () => object = () => ({})): Report {
  let loggedAt = -Infinity;
  let suppressed = 0;
  return (error, requestId) => {
    const now = clock();
    if (error.code !== "service_unavailable") log.error({ err: error.cause, requestId, ...traceIds() }, error.message);
    else if (now - loggedAt < UNAVAILABLE_EVERY) suppressed += 1;
    else {
      log.error({ err: error.cause, requestId, ...traceIds(), ...(suppressed > 0 && { suppressed }) }, error.message);
      loggedAt = now;
      suppressed = 0;
    }
  };
}

import type { Report } from "../adapters/http/errors.ts";
import type { Clock } from "../domain/clock.ts";
import type { Log } from "./log.ts";

/** How often it is told that the service is unavailable, in ms. */
const EVERY = 1_000;

/**
 * Tells the log of every 5xx with its request id. While a database is away every request fails for the same reason:
 * that is told once a second, with how many more there were. `traceIds` gives what else its lines carry.
 */
export function failureLog(log: Log, clock: Clock, traceIds: () => object = () => ({})): Report {
  let toldAt = -Infinity;
  let untold = 0;
  return (error, requestId) => {
    const now = clock();
    if (error.code !== "service_unavailable") log.error({ err: error.cause, requestId, ...traceIds() }, error.message);
    else if (now - toldAt < EVERY) untold += 1;
    else {
      log.error({ err: error.cause, requestId, ...traceIds(), ...(untold > 0 && { untold }) }, error.message);
      toldAt = now;
      untold = 0;
    }
  };
}

import type { Report } from "../adapters/http/responses.ts";
import type { Clock } from "../domain/time.ts";
import type { DamageReport } from "./damage-report.ts";
import type { Log } from "./log.ts";

/** The shortest time between two log lines about an unavailable dependency, in ms. */
const UNAVAILABLE_LOG_INTERVAL = 1_000;

/**
 * Logs every 5xx with its request id. While the database is not available every request fails for the same reason: this
 * is logged once per second, with the number of suppressed lines. `damage` notices a damaged database. `traceIds` returns the
 * trace fields of a line.
 */
export function failureLog(
  log: Log,
  clock: Clock,
  damage: Pick<DamageReport, "notice">,
  traceIds: () => object = () => ({}),
): Report {
  let loggedAt = -Infinity;
  let suppressed = 0;
  return (error, requestId) => {
    damage.notice(error.cause);
    const now = clock();
    if (error.code !== "service_unavailable") log.error({ err: error.cause, requestId, ...traceIds() }, error.message);
    else if (now - loggedAt < UNAVAILABLE_LOG_INTERVAL) suppressed += 1;
    else {
      log.error({ err: error.cause, requestId, ...traceIds(), ...(suppressed > 0 && { suppressed }) }, error.message);
      loggedAt = now;
      suppressed = 0;
    }
  };
}

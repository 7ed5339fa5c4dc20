import pino from "pino";
import type { Report } from "../adapters/http/responses.ts";
import { SECRET_LIKE } from "../domain/keys/secret.ts";
import type { Clock } from "../domain/time.ts";

export type Log = pino.Logger;

/**
 * A log on standard output: JSON lines, or readable ones on a terminal. Removes everything that looks like a key. `asRun` names
 * the commands in a line of JSON as the operator runs them.
 */
export async function createLog(
  level: string,
  isTerminal: boolean,
  asRun: (line: string) => string = (line) => line,
): Promise<Log> {
  const output = isTerminal
    ? (await import("pino-pretty")).default({ colorize: true, ignore: "pid,hostname" })
    : pino.destination({ dest: 1, sync: true });
  return pino({ level }, { write: (line: string) => void output.write(asRun(line.replace(SECRET_LIKE, "[key]"))) });
}

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
  damage: { notice(error: unknown): void },
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

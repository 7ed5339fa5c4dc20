import pino from "pino";
import { SECRET_LIKE } from "../domain/keys/key.ts";
import type { Log } from "../wiring/log.ts";

/** A log of what should not happen: errors of the service itself, on the console of the test run. */
export const log: Log = pino(
  { level: "error", base: null },
  { write: (line: string) => console.error(line.trimEnd().replace(SECRET_LIKE, "[key]")) },
);

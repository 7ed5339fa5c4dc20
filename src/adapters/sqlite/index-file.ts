import { existsSync } from "node:fs";
import { StartupError } from "../../domain/startup-error.ts";
import { isServed } from "./lock-file.ts";
import { indexOf, logOf } from "./log-files.ts";

/** The time in which a process that opens or closes the database has made or removed both files, in ms. */
const BETWEEN_FILES = 200;

/**
 * Refuses a database whose index was deleted while a service uses it. SQLite would make another one, and no process would see
 * what one with the other index writes. @throws StartupError
 */
export function requireIndex(path: string): void {
  if (!lacksIndex(path) || !isServed(path)) return;
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BETWEEN_FILES);
  if (!lacksIndex(path)) return;
  throw new StartupError(
    `${indexOf(path)} was deleted or moved while a service uses it: what is written now could be lost. Stop the service, and start it again.`,
  );
}

/** Whether there is a log without the index, by which SQLite finds what is in it. */
function lacksIndex(path: string): boolean {
  return existsSync(path) && existsSync(logOf(path)) && !existsSync(indexOf(path));
}

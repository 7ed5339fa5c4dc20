import pino from "pino";
import type { Listen } from "../adapters/listen/listener.ts";
import type { ProcessStats } from "../adapters/prometheus/process.ts";
import { SECRET_LIKE } from "../domain/keys/secret.ts";

export type Log = pino.Logger;

/** A log on standard output: JSON lines, or readable ones on a terminal. Removes everything that looks like a key. */
export async function createLog(level: string, isTerminal: boolean): Promise<Log> {
  const output = isTerminal
    ? (await import("pino-pretty")).default({ colorize: true, ignore: "pid,hostname" })
    : pino.destination({ dest: 1, sync: true });
  return pino({ level }, { write: (line: string) => void output.write(line.replace(SECRET_LIKE, "[key]")) });
}

/** The JavaScript runtime of this process, and how it was started. */
export type Runtime = {
  /** Name and version, such as `Bun 1.4.5`. */
  name: string;
  /** How an operator runs a command of this program, such as `npx petstore`. */
  command: string;
  /** The same for pages that anybody reads: without the name of a container. */
  publicCommand: string;
  listen: Listen;
  /** Maps a file into memory that processes share. Undefined if the runtime cannot. @throws when the file cannot be mapped */
  mapFile: ((path: string) => Uint8Array) | undefined;
  process: ProcessStats;
};

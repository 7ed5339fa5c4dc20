import pino from "pino";
import { SECRET_LIKE } from "../domain/keys/key.ts";

export type Log = pino.Logger;

/** A log on standard output: JSON lines, or readable ones on a terminal. Removes everything that looks like a key. */
export async function createLog(level: string, isTerminal: boolean): Promise<Log> {
  const output = isTerminal
    ? (await import("pino-pretty")).default({ colorize: true, ignore: "pid,hostname" })
    : pino.destination({ dest: 1, sync: true });
  return pino({ level }, { write: (line: string) => void output.write(line.replace(SECRET_LIKE, "[key]")) });
}

import { existsSync, statSync } from "node:fs";
import { logOf } from "./log-files.ts";

/** The bytes of a file; 0 if there is none, also where its directory is a file: there `statSync` throws in any case. */
export function fileSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}

/** The bytes of a database file and its write-ahead log; 0 if there is no such file. */
export function sizeWithLog(path: string): number {
  return existsSync(path) ? fileSize(path) + fileSize(logOf(path)) : 0;
}

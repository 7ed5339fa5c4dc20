import { statSync } from "node:fs";
import type { Database } from "./database.ts";
import { IN_MEMORY } from "./in-memory.ts";
import { logOf } from "./log-files.ts";

/** The bytes of the database: of the file and its write-ahead log, or of the memory that it takes. */
export function sizeOf(database: Database): number {
  const { path } = database.file;
  if (path === IN_MEMORY) {
    const text = "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size";
    return Number(database.first(text)?.size);
  }
  const file = sizeOfFile(path);
  return file === undefined ? 0 : file + (sizeOfFile(logOf(path)) ?? 0);
}

/** Undefined if there is no such file. */
function sizeOfFile(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.size;
}

import type { Database } from "./database.ts";
import { IN_MEMORY } from "./errors.ts";
import { sizeWithLog } from "./files.ts";

/** The bytes of the database: of the file and its write-ahead log, or of the memory that it takes. */
export function sizeOf(database: Database): number {
  const { path } = database.file;
  if (path !== IN_MEMORY) return sizeWithLog(path);
  const text = "SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size";
  return Number(database.first(text)?.size);
}

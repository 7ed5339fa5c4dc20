import { existsSync, readFileSync } from "node:fs";

const FILE_HEADER = 32;
const FRAME_HEADER = 24;

/**
 * How many transactions a database's write-ahead log holds. Each ends with a frame that names the database's new
 * size in pages; in the others that field is 0 (sqlite.org/fileformat2.html, section 4.1). Frames that were left
 * from before the log began anew carry another salt, and end the count.
 */
export function commitsIn(path: string): number {
  const log = `${path}-wal`;
  const bytes = existsSync(log) ? readFileSync(log) : Buffer.alloc(0);
  if (bytes.length < FILE_HEADER) return 0;
  const frame = FRAME_HEADER + bytes.readUInt32BE(8);
  const salt = bytes.subarray(16, 24);
  let commits = 0;
  for (let at = FILE_HEADER; at + frame <= bytes.length; at += frame) {
    if (!bytes.subarray(at + 8, at + 16).equals(salt)) break;
    if (bytes.readUInt32BE(at + 4) > 0) commits += 1;
  }
  return commits;
}

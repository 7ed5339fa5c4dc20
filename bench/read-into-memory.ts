import { closeSync, existsSync, openSync, readSync } from "node:fs";

const chunk = Buffer.alloc(1 << 20);

/**
 * Reads a database and its log, so that a load on it does not wait for the disk: the system may have taken the file out of memory,
 * while another server was under load.
 */
export function readIntoMemory(path: string): void {
  for (const file of [path, `${path}-wal`]) if (existsSync(file)) readThrough(file);
}

function readThrough(path: string): void {
  const file = openSync(path, "r");
  while (readSync(file, chunk) > 0);
  closeSync(file);
}

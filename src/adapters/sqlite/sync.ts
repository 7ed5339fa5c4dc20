import { closeSync, fsyncSync, openSync } from "node:fs";

/** Flushes a file or a directory to disk. */
export function sync(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

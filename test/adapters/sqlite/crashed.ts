import { copyFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { type TemporaryFile, temporaryFile } from "./temporary.ts";

/** A copy of an open database's files: what its process would leave behind if it were killed now. */
export function crashed({ path }: { path: string }): TemporaryFile {
  const copy = temporaryFile();
  for (const ending of ["", "-wal", ".ids"]) {
    if (existsSync(path + ending)) copyFileSync(path + ending, copy.path + ending);
  }
  return copy;
}

/** Overwrites bytes of a file, as a damaged disk does. `from`: where, as a part of its size. */
export function damage(path: string, from: number, length = 64): void {
  const bytes = readFileSync(path);
  const start = Math.floor(bytes.length * from);
  writeFileSync(path, bytes.fill(0xa5, start, start + length));
}

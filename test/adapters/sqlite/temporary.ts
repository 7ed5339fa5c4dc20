import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A path for a database file, in a directory of its own. */
export type TemporaryFile = { path: string; remove(): void };

export function temporaryFile(): TemporaryFile {
  const directory = mkdtempSync(join(tmpdir(), "petstore-sqlite-"));
  return { path: join(directory, "petstore.db"), remove: () => rmSync(directory, { recursive: true, force: true }) };
}

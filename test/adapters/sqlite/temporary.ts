import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { StoreFile } from "../../../src/adapters/sqlite/migrate.ts";

/** A database file of production, not made yet, in a directory of its own. */
export type TemporaryFile = StoreFile & { remove(): void };

export function temporaryFile(): TemporaryFile {
  const directory = mkdtempSync(join(tmpdir(), "petstore-sqlite-"));
  const path = join(directory, "petstore.db");
  return { path, deployment: "production", remove: () => rmSync(directory, { recursive: true, force: true }) };
}

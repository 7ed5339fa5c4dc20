import { existsSync } from "node:fs";
import { StartupError } from "../../domain/startup-error.ts";
import { fileSize } from "./file-size.ts";
import type { StoreFile } from "./migrate.ts";

/** What remains beside a database that was in use: its log, the log's index, the lock of the service, and the mark of ids. */
const REMNANTS = ["-wal", "-shm", ".lock", ".ids"];

/**
 * Refuses to create a database in the place of one that is missing or empty, unless the operator asks for it: an empty
 * catalogue with new keys would take the place of what is lost. @throws StartupError
 */
export function requireNotLost({ path, create = false }: Pick<StoreFile, "path" | "create">): void {
  if (create || fileSize(path) > 0) return;
  const remnant = remnantOf(path);
  if (remnant === undefined) return;
  throw new StartupError(
    `The database ${path} is missing, and ${remnant} shows that there was one. Put it back, restore a backup with \`petstore database restore\`, or create an empty one with --create.`,
  );
}

/** A file beside this path that shows that there was a database. */
export function remnantOf(path: string): string | undefined {
  return REMNANTS.map((ending) => `${path}${ending}`).find((file) => existsSync(file));
}

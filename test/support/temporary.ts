import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const made = new Set<string>();

/** A new, empty directory. If a failing test does not remove it, it is removed after the last test. */
export function temporaryDirectory(): string {
  const path = mkdtempSync(join(tmpdir(), "petstore-test-"));
  made.add(path);
  return path;
}

export function removeTemporaryDirectories(): void {
  for (const path of made) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

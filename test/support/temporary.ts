import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
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
  for (const path of made) {
    for (const disk of mountedIn(path)) spawnSync("umount", ["--lazy", disk]);
    rmSync(path, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** The disks that tests have mounted there, and left as they were killed. */
function mountedIn(directory: string): string[] {
  const mounts = existsSync("/proc/mounts") ? readFileSync("/proc/mounts", "utf8").split("\n") : [];
  return mounts.map((line) => line.split(" ")[1] ?? "").filter((path) => path.startsWith(directory));
}

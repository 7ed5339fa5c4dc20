import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { join } from "node:path";
import { StartupError } from "../../domain/startup-error.ts";

/** Linux's list of mounts: the path is the fifth field of a line, with octal escapes. Elsewhere no file can be mounted. */
const MOUNTS = "/proc/self/mountinfo";
const PATH_FIELD = 4;

/**
 * Refuses what is not a file, and a file that has more names than links to its path: by another one it would have another
 * log and another lock, and what two processes write would be lost. @throws StartupError
 */
export function requirePlainFile(path: string): void {
  const stats = statSync(path);
  if (stats.isDirectory()) {
    throw new StartupError(
      `${path} is a directory. Set DATABASE_URL to a file in it, such as sqlite:${join(path, "petstore.db")}.`,
    );
  }
  if (!stats.isFile()) throw new StartupError(`${path} is not a file. Set DATABASE_URL to a file.`);
  const { nlink } = stats;
  if (nlink > 1) {
    throw new StartupError(
      `${path} has ${nlink} names (hard links): a process that uses it by another name would damage it. Copy it to a file of its own.`,
    );
  }
  if (!isMounted(realpathSync(path))) return;
  throw new StartupError(
    `${path} is the mount of a single file: a process that uses that file by its own name would damage it, and its log would be outside of the mount. Mount the directory that contains it.`,
  );
}

function isMounted(path: string): boolean {
  if (!existsSync(MOUNTS)) return false;
  const lines = readFileSync(MOUNTS, "utf8").split("\n");
  return lines.some((line) => unescaped(line.split(" ")[PATH_FIELD] ?? "") === path);
}

function unescaped(field: string): string {
  return field.replace(/\\([0-7]{3})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 8)));
}

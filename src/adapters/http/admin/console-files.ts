import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** The output of the console's build. */
const DIRECTORY = fileURLToPath(new URL("../../../../console/dist", import.meta.url));

/**
 * The console's files: the path of each on the disk, by its name, such as `assets/main-4kTn.js`. None before the build.
 * deploy/executable.ts replaces this list.
 */
export function consoleFiles(): Record<string, string> {
  if (!existsSync(DIRECTORY)) return {};
  const paths = readdirSync(DIRECTORY, { recursive: true, encoding: "utf8" }).map((name) => join(DIRECTORY, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [relative(DIRECTORY, path).replaceAll("\\", "/"), path]));
}

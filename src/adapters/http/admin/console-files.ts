import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

/** Where the console's build leaves it. */
const DIRECTORY = fileURLToPath(new URL("../../../../console/dist", import.meta.url));

/**
 * The console's files: where each is on the disk, by its name, such as `assets/main-4kTn.js`. None while it is not built.
 * deploy/executable.ts puts another list in the place of this one.
 */
export function consoleFiles(): Record<string, string> {
  if (!existsSync(DIRECTORY)) return {};
  const paths = readdirSync(DIRECTORY, { recursive: true, encoding: "utf8" }).map((name) => join(DIRECTORY, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [relative(DIRECTORY, path).replaceAll("\\", "/"), path]));
}

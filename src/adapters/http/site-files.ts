// The files on the disk that the listeners serve. deploy/executable.ts replaces this module by the files in the executable.

import { existsSync, readdirSync, statSync } from "node:fs";
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../../", import.meta.url));

/** The pages that docs/README.md lists outside its own folder. */
const BESIDE = ["README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "client/README.md"];
const OWN = [
  "account.js",
  "icon.svg",
  "style.css",
  "examples.css",
  "search.css",
  "theme.js",
  "page.js",
  "examples.js",
  "key.js",
  "request.js",
  "search-words.js",
  "search.js",
];

/** The location of each file of the guide (Markdown, pictures, style and script), by its path in the project. */
export function guideFiles(): Map<string, string> {
  const docs = readdirSync(join(PROJECT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(md|svg|png)$/.test(name))
    .map((name) => `docs/${name}`)
    // The order of a directory is that of its file system, and executables have the files in this one.
    .sort();
  const own = OWN.map((name) => `src/adapters/http/guide/browser/${name}`);
  return new Map([...docs, ...BESIDE, ...own].map((path) => [path, join(PROJECT, path)]));
}

const CONSOLE = join(PROJECT, "console/dist");

/** The location of each file of the console, by its name, such as `assets/main-4kTn.js`. None before the build. */
export function consoleFiles(): Record<string, string> {
  if (!existsSync(CONSOLE)) return {};
  const paths = readdirSync(CONSOLE, { recursive: true, encoding: "utf8" }).map((name) => join(CONSOLE, name));
  const files = paths.filter((path) => statSync(path).isFile());
  return Object.fromEntries(files.map((path) => [relative(CONSOLE, path).replaceAll("\\", "/"), path]));
}

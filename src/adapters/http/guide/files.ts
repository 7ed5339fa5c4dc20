import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const PROJECT = fileURLToPath(new URL("../../../../", import.meta.url));

/** The pages that docs/README.md lists outside its own folder. */
const BESIDE = ["README.md", "CHANGELOG.md", "SECURITY.md", "CONTRIBUTING.md", "ARCHITECTURE.md", "client/README.md"];
const OWN = [
  "icon.svg",
  "style.css",
  "examples.css",
  "search.css",
  "theme.js",
  "page.js",
  "examples.js",
  "key.js",
  "search-words.js",
  "search.js",
];

/**
 * The location of each file of the guide (Markdown, pictures, style and script), by its path in the project.
 * deploy/executable.ts puts these files into the executable.
 */
export function guideFiles(): Map<string, string> {
  const docs = readdirSync(join(PROJECT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => /\.(md|svg|png)$/.test(name))
    .map((name) => `docs/${name}`);
  const own = OWN.map((name) => `src/adapters/http/guide/browser/${name}`);
  return new Map([...docs, ...BESIDE, ...own].map((path) => [path, join(PROJECT, path)]));
}

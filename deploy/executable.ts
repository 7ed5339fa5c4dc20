/** Makes the `petstore` command one file that needs nothing beside it: `bun deploy/executable.ts OUTFILE`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { buildConsole, DIST } from "../console/build.ts";
import { guideFiles } from "../src/adapters/http/guide/files.ts";
import { referenceFiles } from "../src/adapters/http/reference/files.ts";

const [outfile = "petstore"] = process.argv.slice(2);
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const consoleNames = await buildConsole();

/** A module whose `files` are within the executable: the names that they are served by, and where each is now. */
function embedded(files: Iterable<[string, string]>, exported: string): string {
  const list = [...files];
  const imports = list.map(([, path], at) => `import file${at} from ${JSON.stringify(path)} with { type: "file" };`);
  const entries = list.map(([name], at) => `[${JSON.stringify(name)}, file${at}]`);
  return [...imports, `const files = [${entries.join()}];`, `export const ${exported};`].join("\n");
}

const consoleFiles = consoleNames.map((name): [string, string] => [name, join(DIST, name)]);

/** What is different where there is but one file, by the module that says it for the sources. */
const replacements: Record<string, string> = {
  "adapters/http/guide/files.ts": embedded(guideFiles(), "guideFiles = () => new Map(files)"),
  "adapters/http/reference/files.ts": embedded(
    Object.entries(referenceFiles()),
    "referenceFiles = () => Object.fromEntries(files)",
  ),
  "adapters/http/admin/console-files.ts": embedded(consoleFiles, "consoleFiles = () => Object.fromEntries(files)"),
  "commands/program.ts": "export const PROGRAM = [process.execPath];",
};

const withinExecutable: BunPlugin = {
  name: "within the executable",
  setup(build) {
    for (const [module, contents] of Object.entries(replacements)) {
      const path = fileURLToPath(new URL(`../src/${module}`, import.meta.url));
      build.onLoad({ filter: new RegExp(`${module}$`) }, (file) =>
        file.path === path ? { contents, loader: "ts" } : undefined,
      );
    }
  },
};

const result = await Bun.build({
  entrypoints: [main],
  target: "bun",
  minify: { whitespace: true, syntax: true },
  // Settings come from the environment alone, not from files that happen to lie where it is started.
  compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  plugins: [withinExecutable],
});
for (const message of result.logs) console.error(message);
process.exitCode = result.success ? 0 : 1;

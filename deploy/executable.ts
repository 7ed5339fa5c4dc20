/** Compiles the `petstore` command to one self-contained executable: `bun deploy/executable.ts OUTFILE`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { buildConsole, DIST } from "../console/build.ts";
import { guideFiles } from "../src/adapters/http/guide/files.ts";
import { referenceFiles } from "../src/adapters/http/reference/files.ts";

const [outfile = "petstore"] = process.argv.slice(2);
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const consoleNames = await buildConsole();

/** Returns a module whose `files` are in the executable: their URLs' names, and their locations. */
function embedded(files: Iterable<[string, string]>, exported: string): string {
  const list = [...files];
  const imports = list.map(([, path], at) => `import file${at} from ${JSON.stringify(path)} with { type: "file" };`);
  const entries = list.map(([name], at) => `[${JSON.stringify(name)}, file${at}]`);
  return [...imports, `const files = [${entries.join()}];`, `export const ${exported};`].join("\n");
}

const consoleFiles = consoleNames.map((name): [string, string] => [name, join(DIST, name)]);

/** The replacements for modules that locate files of the sources. */
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
  // Only the environment sets variables, not files in the working directory.
  compile: { outfile, autoloadDotenv: false, autoloadBunfig: false },
  plugins: [withinExecutable],
});
for (const message of result.logs) console.error(message);
process.exitCode = result.success ? 0 : 1;

/** Compiles the `petstore` command to one self-contained executable for this machine: `bun deploy/executable.ts OUTFILE`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { buildConsole, DIST } from "../console/build.ts";
import { guideFiles } from "../src/adapters/http/guide/contents.ts";
import { referenceFiles } from "../src/adapters/http/reference/files.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** Returns a module whose `files` are in the executable: their URLs' names, and their locations. */
function embedded(files: Iterable<[string, string]>, exported: string): string {
  const list = [...files];
  const imports = list.map(([, path], at) => `import file${at} from ${JSON.stringify(path)} with { type: "file" };`);
  const entries = list.map(([name], at) => `[${JSON.stringify(name)}, file${at}]`);
  return [...imports, `const files = [${entries.join()}];`, `export const ${exported};`].join("\n");
}

/** The replacements for modules that locate files of the sources. */
function replacements(consoleNames: string[]): Record<string, string> {
  const consoleFiles = consoleNames.map((name): [string, string] => [name, join(DIST, name)]);
  return {
    "adapters/http/guide/files.ts": embedded(guideFiles(), "guideFiles = () => new Map(files)"),
    "adapters/http/reference/files.ts": embedded(
      Object.entries(referenceFiles()),
      "referenceFiles = () => Object.fromEntries(files)",
    ),
    "adapters/http/admin/console-files.ts": embedded(consoleFiles, "consoleFiles = () => Object.fromEntries(files)"),
    "commands/program.ts": "export const PROGRAM = [process.execPath];",
  };
}

const withinExecutable = (consoleNames: string[]): BunPlugin => ({
  name: "within the executable",
  setup(build) {
    for (const [module, contents] of Object.entries(replacements(consoleNames))) {
      const path = fileURLToPath(new URL(`../src/${module}`, import.meta.url));
      build.onLoad({ filter: new RegExp(`${module}$`) }, (file) =>
        file.path === path ? { contents, loader: "ts" } : undefined,
      );
    }
  },
});

/** The platform of an executable, and the Bun for it. */
export type Target = { target: Bun.Build.CompileTarget; executablePath: string };

/**
 * Writes the executable to `outfile`, for this machine unless `target` names another. `consoleNames` are the files of the
 * built console. @throws when bundling fails
 */
export async function compile(outfile: string, consoleNames: string[], target?: Target): Promise<void> {
  await Bun.build({
    entrypoints: [MAIN],
    target: "bun",
    minify: { whitespace: true, syntax: true },
    // Only the environment sets variables, not files in the working directory.
    compile: { outfile, autoloadDotenv: false, autoloadBunfig: false, ...target },
    plugins: [withinExecutable(consoleNames)],
  });
}

if (import.meta.main) {
  const [outfile = "petstore"] = process.argv.slice(2);
  await compile(outfile, await buildConsole());
}

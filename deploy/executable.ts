/** Compiles the `petstore` command to one self-contained executable for this machine: `bun deploy/executable.ts OUTFILE`. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { buildConsole, DIST } from "../console/build.ts";
import { guideFiles } from "../src/adapters/http/site-files.ts";
import { NOWHERE } from "./bundle.ts";

const MAIN = fileURLToPath(new URL("../src/main.ts", import.meta.url));

/** What an executable has in the place of the modules that know where the sources are. */
function replacements(consoleNames: string[]): Record<string, string> {
  const consoleFiles = consoleNames.map((name): [string, string] => [name, join(DIST, name)]);
  return {
    "adapters/http/site-files.ts": [
      embedded("guideFiles", [...guideFiles()], "new Map(files)"),
      embedded("consoleFiles", consoleFiles, "Object.fromEntries(files)"),
    ].join("\n"),
    "commands/program-path.ts": "export const PROGRAM = [process.execPath];",
  };
}

/** Returns the text of a function that returns the locations of files in the executable, by their names. */
function embedded(name: string, files: [string, string][], returned: string): string {
  const imports = files.map(
    ([, path], at) => `import ${name}${at} from ${JSON.stringify(path)} with { type: "file" };`,
  );
  const entries = files.map(([file], at) => `[${JSON.stringify(file)}, ${name}${at}]`);
  const body = `const files = [${entries.join()}]; return ${returned};`;
  return [...imports, `export function ${name}() { ${body} }`].join("\n");
}

const withinExecutable = (consoleNames: string[]): BunPlugin => ({
  name: "within the executable",
  setup(build) {
    for (const [module, contents] of Object.entries(replacements(consoleNames))) {
      const path = fileURLToPath(new URL(`../src/${module}`, import.meta.url));
      if (!existsSync(path)) throw new Error(`${path} has moved`);
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
    define: NOWHERE,
    plugins: [withinExecutable(consoleNames)],
  });
}

if (import.meta.main) {
  const [outfile = "petstore"] = process.argv.slice(2);
  await compile(outfile, await buildConsole());
}

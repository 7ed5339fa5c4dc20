/** Makes the `petstore` command one file that needs nothing beside it: `bun deploy/executable.ts OUTFILE`. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BunPlugin } from "bun";
import { buildConsole, DIST } from "../console/build.ts";
import { guideFiles } from "../src/adapters/http/guide/files.ts";

const [outfile = "petstore"] = process.argv.slice(2);
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const reference = fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js"));
const consoleNames = await buildConsole();

/** Has the console's files lie within the executable, under the names that it serves them by. */
const consoleFiles = [
  ...consoleNames.map((name, at) => `import file${at} from ${JSON.stringify(join(DIST, name))} with { type: "file" };`),
  `export const consoleFiles = () => ({${consoleNames.map((name, at) => `${JSON.stringify(name)}: file${at}`).join()}});`,
].join("\n");

/** Modules of the sources that name files, as they are where those files are within the executable. */
const guide = [...guideFiles()].map(([name, path], i) => ({ name, path, variable: `file${i}` }));
const guideModule = [
  ...guide.map(({ path, variable }) => `import ${variable} from ${JSON.stringify(path)} with { type: "file" };`),
  `const files = [${guide.map(({ name, variable }) => `[${JSON.stringify(name)}, ${variable}]`).join(", ")}];`,
  "export const guideFiles = () => new Map(files);",
].join("\n");

/** What is different where there is but one file, by the module that says it for the sources. */
const withinExecutable: BunPlugin = {
  name: "within the executable",
  setup(build) {
    build.onLoad({ filter: /src\/http\/reference\.ts$/ }, () => ({
      contents: `import path from ${JSON.stringify(reference)} with { type: "file" };\nexport const REFERENCE = path;`,
      loader: "ts",
    }));
    build.onLoad({ filter: /src\/http\/guide\/files\.ts$/ }, () => ({ contents: guideModule, loader: "ts" }));
    build.onLoad({ filter: /src\/http\/admin\/console-files\.ts$/ }, () => ({ contents: consoleFiles, loader: "ts" }));
    build.onLoad({ filter: /src\/commands\/program\.ts$/ }, () => ({
      contents: "export const PROGRAM = [process.execPath];",
      loader: "ts",
    }));
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

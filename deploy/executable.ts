/** Makes the `petstore` command one file that needs nothing beside it: `bun deploy/executable.ts OUTFILE`. */
import { fileURLToPath } from "node:url";

const [outfile = "petstore"] = process.argv.slice(2);
const main = fileURLToPath(new URL("../src/main.ts", import.meta.url));
const reference = fileURLToPath(import.meta.resolve("@scalar/api-reference/browser/standalone.js"));

const result = await Bun.build({
  entrypoints: [main],
  target: "bun",
  minify: { whitespace: true, syntax: true },
  compile: { outfile },
  plugins: [
    {
      name: "the reference's program, within the executable",
      setup(build) {
        build.onLoad({ filter: /src\/http\/reference\.ts$/ }, () => ({
          contents: `import path from ${JSON.stringify(reference)} with { type: "file" };\nexport const REFERENCE = path;`,
          loader: "ts",
        }));
      },
    },
  ],
});
for (const message of result.logs) console.error(message);
process.exitCode = result.success ? 0 : 1;

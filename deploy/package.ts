/**
 * Builds dist/, which the npm package has instead of the sources: Node runs no TypeScript below node_modules, and both
 * runtimes start a bundle in half the time or less. `npm pack` runs it: `bun deploy/package.ts`.
 */
import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import type { BuildConfig, BunPlugin } from "bun";
import { replaceFiles } from "../console/build.ts";
import { declare } from "./declarations.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const COMMAND = join(ROOT, "src/main.ts");
const TESTING = join(ROOT, "src/testing.ts");
const STACK = join(ROOT, "deploy/disposable-stack.ts");

/** Bun runs a file that begins with it as it is. Without it, it would translate the bundle at each start. */
const TRANSLATED = "// @bun";

/** What CommonJS has instead of `import.meta.url` and `import.meta.resolve`. */
const META = `const { pathToFileURL } = require("node:url");
const here = pathToFileURL(__filename);
const resolve = (name) => pathToFileURL(require.resolve(name)).href;`;

/** Adapts modules to their place in dist, to Node 22, and with `meta` to CommonJS. */
const withinPackage = (meta: { url: string; resolve: string }): BunPlugin => ({
  name: "within the package",
  setup(build) {
    build.onLoad({ filter: /\/src\/.*\.ts$/ }, async ({ path }) => {
      const text = await Bun.file(path).text();
      // Modules that locate files of the project do it from their own place.
      const place = `new URL(${JSON.stringify(relative(join(ROOT, "dist"), path))}, ${meta.url})`;
      const stack = text.includes("new AsyncDisposableStack")
        ? `import { AsyncDisposableStack } from ${JSON.stringify(STACK)};`
        : "";
      const placed = text.replaceAll("import.meta.url", place).replaceAll("import.meta.resolve", meta.resolve);
      return { loader: "ts", contents: stack + placed };
    });
  },
});

const settings = {
  target: "node",
  // The service sends its files.
  external: ["swagger-ui-dist"],
} satisfies Partial<BuildConfig>;

async function build(outdir: string): Promise<void> {
  await Bun.build({
    ...settings,
    entrypoints: [COMMAND, TESTING],
    outdir,
    // What is loaded on demand stays so.
    splitting: true,
    banner: TRANSLATED,
    plugins: [withinPackage({ url: "import.meta.url", resolve: "import.meta.resolve" })],
  });
  // For `require`, also of Jest, which cannot load modules on demand.
  await Bun.build({
    ...settings,
    entrypoints: [TESTING],
    outdir,
    format: "cjs",
    naming: "[name].cjs",
    banner: META,
    plugins: [withinPackage({ url: "here", resolve: "resolve" })],
  });
  declare(TESTING, join(outdir, "types"));
}

// The entries come last: they refer to the other files.
await replaceFiles(join(ROOT, "dist"), build, (name) => ["main.js", "testing.js", "testing.cjs"].includes(name));

/**
 * Builds dist/, which the npm package has instead of the sources: the bundle, and `petstore/testing` also as CommonJS, with
 * declarations. `npm pack` runs it: `bun deploy/package.ts`.
 */
import { join } from "node:path";
import { bundle, EXTERNAL, replaceDist, TESTING, TIMERS, withinPackage } from "./bundle.ts";
import { declare } from "./declarations.ts";

/** What CommonJS has instead of `import.meta`. */
const META = `const { pathToFileURL } = require("node:url");
const here = pathToFileURL(__filename);
const resolve = (name) => pathToFileURL(require.resolve(name)).href;`;

/** Bundles one file for `require`, also that of Jest, which cannot load modules on demand. */
async function bundleForRequire(outdir: string): Promise<void> {
  await Bun.build({
    entrypoints: [TESTING],
    outdir,
    naming: "[name].cjs",
    target: "node",
    format: "cjs",
    banner: `${META}\n${TIMERS}`,
    external: EXTERNAL,
    plugins: [withinPackage({ url: "here", resolve: "resolve" })],
  });
}

await replaceDist(async (directory) => {
  await bundle(directory);
  await bundleForRequire(directory);
  declare(TESTING, join(directory, "types"));
});

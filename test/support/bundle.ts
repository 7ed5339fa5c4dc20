/**
 * Bundles what tests start, which takes half the time of starting the sources: the npm package's dist/, and the service
 * with a clock that tests set, into a directory of the checkout: `bun test/support/bundle.ts DIRECTORY`.
 */
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle, replaceDist } from "../../deploy/bundle.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

const [, , directory = ""] = process.argv;
await replaceDist(bundle);
await bundle(directory, {
  entrypoints: [join(ROOT, "test/support/serve-with-clock.ts")],
  // No package.json above it says that these are ES modules.
  naming: { entry: "[name].mjs", chunk: "[name]-[hash].mjs" },
  url: JSON.stringify(pathToFileURL(join(ROOT, "dist/main.js"))),
});

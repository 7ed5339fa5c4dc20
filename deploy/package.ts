/**
 * Prepares the npm package: npm runs `bun deploy/package.ts prepack` and `postpack` around `npm pack`. The package has the
 * bundle instead of the sources, also of the libraries, and depends on Bun alone: npm installs two packages, and runs no
 * script. So it has a manifest of its own, which is in the checkout's place meanwhile.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import bun from "bun/package.json" with { type: "json" };
import { buildConsole } from "../console/build.ts";
import { NEEDED_NODE, NEEDED_RUNTIME } from "../src/testing/needed-runtime.ts";
import { bundle, NOWHERE, replaceDist, TESTING, TIMERS, withinPackage } from "./bundle.ts";
import { declare } from "./declarations.ts";
import { licenses } from "./licenses.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const MANIFEST = join(ROOT, "package.json");
/** The checkout's manifest meanwhile. */
const ASIDE = join(ROOT, ".package.json");

/** What src/testing.ts does first. */
const REQUIREMENT = `if (!require("node:module").isBuiltin("node:sqlite")) throw new Error(${JSON.stringify(NEEDED_RUNTIME)});`;

/** Bundles `@petstore/server/testing` for `require`, also that of Jest, which cannot load modules on demand. */
async function bundleForRequire(outdir: string): Promise<void> {
  await Bun.build({
    // That of ES modules waits for what it imports, which CommonJS cannot.
    entrypoints: [join(ROOT, "src/testing/service.ts")],
    outdir,
    naming: "testing.cjs",
    target: "node",
    format: "cjs",
    // CommonJS has no import.meta.
    banner: `${REQUIREMENT}\nconst here = require("node:url").pathToFileURL(__filename);\n${TIMERS}`,
    define: NOWHERE,
    plugins: [withinPackage("here")],
  });
}

/**
 * The manifest without what only a checkout needs. The package `bun` would copy Bun out of the package for the platform with
 * an install script: bin/runtime.js finds it there.
 */
function packedManifest(): object {
  const { scripts, allowScripts, scarfSettings, dependencies, devDependencies, overrides, ...kept } = JSON.parse(
    readFileSync(MANIFEST, "utf8"),
  );
  // A checkout runs its command on Node 20; the package has also the module for tests.
  return { ...kept, engines: { node: `>=${NEEDED_NODE}` }, optionalDependencies: bun.optionalDependencies };
}

async function prepack(): Promise<void> {
  await buildConsole();
  await replaceDist(async (dist) => {
    await bundle(dist);
    await bundleForRequire(dist);
    declare(TESTING, join(dist, "types"));
    writeFileSync(join(dist, "LICENSES.txt"), licenses());
  });
  const packed = `${JSON.stringify(packedManifest(), undefined, 2)}\n`;
  renameSync(MANIFEST, ASIDE);
  writeFileSync(MANIFEST, packed);
}

function postpack(): void {
  if (existsSync(ASIDE)) renameSync(ASIDE, MANIFEST);
}

// First of all the manifest of a packing that was killed comes back.
postpack();
if (process.argv.includes("prepack")) await prepack();

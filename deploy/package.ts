/**
 * Packs the npm package: `bun deploy/package.ts`, with arguments for `npm pack`. It has the bundle instead of the sources, also
 * of the libraries, and depends on Bun alone: npm installs two packages, and runs no script.
 */
import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import bun from "bun/package.json" with { type: "json" };
import { buildConsole } from "../console/build.ts";
import manifest from "../package.json" with { type: "json" };
import { bundle, TESTING, TIMERS, withinPackage } from "./bundle.ts";
import { declare } from "./declarations.ts";
import { licenses } from "./licenses.ts";

const ROOT = fileURLToPath(new URL("..", import.meta.url));

/** What the package has of the checkout: `files`, and what npm packs in any case. dist/ is built. */
const FILES = [...manifest.files, "README.md", "LICENSE"].filter((name) => name !== "dist");

/** Bundles `petstore/testing` for `require`, also that of Jest, which cannot load modules on demand. */
async function bundleForRequire(outdir: string): Promise<void> {
  await Bun.build({
    entrypoints: [TESTING],
    outdir,
    naming: "[name].cjs",
    target: "node",
    format: "cjs",
    // CommonJS has no import.meta.
    banner: `const here = require("node:url").pathToFileURL(__filename);\n${TIMERS}`,
    plugins: [withinPackage("here")],
  });
}

/**
 * The manifest without what only a checkout needs. The package `bun` would copy Bun out of the package for the platform with
 * an install script: bin/runtime.js finds it there.
 */
function packedManifest(): object {
  const { scripts, allowScripts, scarfSettings, dependencies, devDependencies, overrides, ...kept } = manifest;
  return { ...kept, optionalDependencies: bun.optionalDependencies };
}

const directory = mkdtempSync(join(tmpdir(), "petstore-package-"));
try {
  await buildConsole();
  const dist = join(directory, "dist");
  await bundle(dist);
  await bundleForRequire(dist);
  declare(TESTING, join(dist, "types"));
  writeFileSync(join(dist, "LICENSES.txt"), licenses());
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(packedManifest(), undefined, 2)}\n`);
  for (const name of FILES) {
    const paths = name.includes("*") ? new Bun.Glob(name).scanSync(ROOT) : [name];
    for (const path of paths) cpSync(join(ROOT, path), join(directory, path), { recursive: true });
  }
  const pack = ["pack", directory, ...process.argv.slice(2)];
  process.exitCode = spawnSync("npm", pack, { cwd: ROOT, stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

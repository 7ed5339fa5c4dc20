import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const MIN_NODE_VERSION = 24;
/** The placeholder is a script of half a kilobyte, Bun has 100 MB. */
const MAX_PLACEHOLDER_BYTES = 100_000;

/**
 * The environment of the service, with which Bun's heap grows alike on every machine: to 1.9 times what is in use with 10 MB, to
 * 1.4 times from 64 MB on. All of it is collected when an eighth is left for young objects, not a third.
 * WebAssembly is compiled once, not again with more optimization: for the HTTP parser that takes 10 MB and gains 4 % at
 * most (docs/development/benchmarks.md).
 */
export const runtimeEnvironment = {
  BUN_JSC_forceRAMSize: String(64 * 1024 * 1024),
  BUN_JSC_heapGrowthFunctionThresholdInMB: "0",
  BUN_JSC_heapGrowthMaxIncrease: "1",
  BUN_JSC_minEdenToOldGenerationRatio: "0.12",
  BUN_JSC_useOMGJIT: "false",
};

/**
 * Returns the command line that runs a file on Bun, or on Node for "node".
 * @param {string} [runtime]
 * @returns {string[]}
 */
export function runtimeCommand(runtime = "bun") {
  // Bun reads .env files by default, Node does not: settings come only from the environment.
  if (runtime === "bun") return [bunBinary(), "--no-env-file"];
  if (runtime === "node") return [nodeBinary(), "--disable-warning=ExperimentalWarning"];
  throw new Error(`PETSTORE_RUNTIME must be bun or node, not ${runtime}.`);
}

/** Returns the running Node or the first one on the PATH that is new enough; undefined if there is none. */
export function findNode() {
  const directories = (process.env.PATH ?? "").split(delimiter);
  const candidates = [process.execPath, ...directories.map((directory) => join(directory, "node"))];
  return candidates.find((path) => existsSync(path) && majorOf(path) >= MIN_NODE_VERSION);
}

function nodeBinary() {
  const node = findNode();
  if (node === undefined)
    throw new Error(`PETSTORE_RUNTIME=node needs Node ${MIN_NODE_VERSION} or newer, which is not on the PATH.`);
  return node;
}

/**
 * The major version of the Node at this path; NaN if it is another program, such as Bun.
 * @param {string} path
 */
function majorOf(path) {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return Number(/^v(\d+)\./.exec(stdout ?? "")?.[1]);
}

/**
 * The path of Bun, which npm installed: the package from npm depends on those for each platform, a checkout on `bun`, which
 * does the same.
 */
function bunBinary() {
  for (const name of ["../package.json", "bun/package.json"]) {
    try {
      const manifest = require.resolve(name);
      const binary = join(dirname(manifest), "bin/bun.exe");
      if (existsSync(binary) && statSync(binary).size > MAX_PLACEHOLDER_BYTES) return binary;
      const packaged = packagedBun(manifest);
      if (packaged !== undefined) return packaged;
    } catch {
      // Not installed at all.
    }
  }
  throw new Error("Bun is missing. Run npm install.");
}

/**
 * The path of Bun in the package for this platform, one of the optional dependencies of a manifest. The install script of `bun`
 * moves it over a placeholder; npm 12 runs no install scripts of dependencies, unless they are allowed.
 * @param {string} manifest
 */
function packagedBun(manifest) {
  const program = process.platform === "win32" ? "bun.exe" : "bun";
  const directories = createRequire(manifest).resolve.paths("bun") ?? [];
  const installed = Object.keys(require(manifest).optionalDependencies ?? {})
    .flatMap((name) => directories.map((directory) => join(directory, name, "bin", program)))
    .filter((path) => existsSync(path));
  // An npm that does not know `libc` installs those for glibc and for musl.
  return installed.length < 2 ? installed[0] : installed.find((path) => spawnSync(path, ["--version"]).status === 0);
}

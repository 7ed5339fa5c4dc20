import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { delimiter, dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const OLDEST_NODE = 24;

/** Loaded by Node before anything else, where it would not run TypeScript by itself: below node_modules. */
const STRIP_TYPES = import.meta.url.includes("/node_modules/")
  ? [`--import=${new URL("types.js", import.meta.url)}`]
  : [];

/**
 * The command line that runs a TypeScript file: on Bun, or on Node for "node".
 * @param {string} [runtime]
 * @returns {string[]}
 */
export function runtimeCommand(runtime = "bun") {
  // Bun would read .env files by itself, Node does not: settings come from the environment alone.
  if (runtime === "bun") return [bunBinary(), "--no-env-file"];
  if (runtime === "node") return [nodeBinary(), "--disable-warning=ExperimentalWarning", ...STRIP_TYPES];
  throw new Error(`PETSTORE_RUNTIME must be bun or node, not ${runtime}.`);
}

/** The Node that runs this, or else the first on the PATH, that is new enough; undefined when there is none. */
export function findNode() {
  const directories = (process.env.PATH ?? "").split(delimiter);
  const candidates = [process.execPath, ...directories.map((directory) => join(directory, "node"))];
  return candidates.find((path) => existsSync(path) && majorOf(path) >= OLDEST_NODE);
}

function nodeBinary() {
  const node = findNode();
  if (node === undefined)
    throw new Error(`PETSTORE_RUNTIME=node needs Node ${OLDEST_NODE} or newer, which is not on the PATH.`);
  return node;
}

/**
 * The major version of the Node at this path; NaN where it is another program, such as Bun.
 * @param {string} path
 */
function majorOf(path) {
  const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
  return Number(/^v(\d+)\./.exec(stdout ?? "")?.[1]);
}

/** Bun, which npm installed beside this package. */
function bunBinary() {
  const binary = join(dirname(require.resolve("bun/package.json")), "bin/bun.exe");
  if (!existsSync(binary)) throw new Error(`${binary} is missing. Run npm install.`);
  return binary;
}

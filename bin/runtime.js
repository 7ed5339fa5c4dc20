import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const require = createRequire(import.meta.url);
const OLDEST_NODE = 24;

/**
 * The command line that runs a TypeScript file: on Bun, or on Node for "node".
 * @param {string} [runtime]
 * @returns {string[]}
 */
export function runtimeCommand(runtime = "bun") {
  // Bun would read .env files by itself, Node does not: settings come from the environment alone.
  if (runtime === "bun") return [binaryOf("bun", "bin/bun.exe"), "--no-env-file"];
  if (runtime === "node") return [nodeBinary(), "--disable-warning=ExperimentalWarning"];
  throw new Error(`PETSTORE_RUNTIME must be bun or node, not ${runtime}.`);
}

/** This Node where it is new enough, otherwise the one that the development dependencies bring. */
function nodeBinary() {
  // Bun names a Node version too, that of the Node it is compatible with.
  const isNode = process.versions.bun === undefined;
  if (isNode && Number(process.versions.node.split(".")[0]) >= OLDEST_NODE) return process.execPath;
  try {
    return binaryOf("node", "bin/node");
  } catch {
    throw new Error(`PETSTORE_RUNTIME=node needs Node ${OLDEST_NODE} or newer; this is ${process.version}.`);
  }
}

/**
 * @param {string} name
 * @param {string} path
 */
function binaryOf(name, path) {
  const binary = join(dirname(require.resolve(`${name}/package.json`)), path);
  if (!existsSync(binary)) throw new Error(`${binary} is missing. Run npm install.`);
  return binary;
}
